// The database behind a connection: a session pool, and transactions on single sessions.
import type { Clock, Transaction } from "@sluice/engine/spi";
import { every, withTimeout } from "../messaging/incoming.ts";
import type { Dialect, Driver, NotificationListener, Row, Session, SqlResult, Statement } from "./database.ts";
import { abortable, SessionPool, type PoolOptions } from "./session-pool.ts";
import { sqlFailure, sqlInputError, unavailable } from "./sql-failure.ts";

/** Interval of the connection check of a listening session, and timeout of its response. */
const checkMs = 10_000;

/** Executes statements: a database, or one of its transactions. */
export interface Executor {
  readonly dialect: Dialect;
  execute(statement: Statement, signal?: AbortSignal): Promise<SqlResult>;
  /** Executes several statements atomically. */
  executeAll(statements: readonly Statement[], signal?: AbortSignal): Promise<readonly SqlResult[]>;
  /** Streams the rows; their session is held until the stream ends. */
  stream(statement: Statement, fetchSize: number): AsyncIterableIterator<Row>;
}

export class SqlDatabase implements Executor {
  readonly dialect: Dialect;
  readonly #pool: SessionPool;
  readonly #driver: Driver;
  readonly #clock: Clock;

  #version = "";

  constructor(driver: Driver, options: PoolOptions, clock: Clock, unreachable: (problem: string) => void) {
    this.dialect = driver.dialect;
    this.#driver = driver;
    this.#clock = clock;
    this.#pool = new SessionPool(driver, options, clock, unreachable);
  }

  execute(statement: Statement, signal?: AbortSignal): Promise<SqlResult> {
    return this.#pool.use((session) => run(session, statement), signal);
  }

  async executeAll(statements: readonly Statement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    const transaction = await this.begin(signal);
    try {
      const results = await transaction.executeEach(statements, signal);
      await transaction.commit();
      return results;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }

  async *stream(statement: Statement, fetchSize: number): AsyncIterableIterator<Row> {
    const session = await this.#pool.acquire();
    try {
      yield* session.stream(statement, fetchSize);
    } catch (error) {
      throw sqlFailure(error, { statement: statement.text });
    } finally {
      this.#pool.release(session);
    }
  }

  /** Begins a transaction on a dedicated session, which is released when the transaction ends. */
  async begin(signal?: AbortSignal): Promise<SqlTransaction> {
    const session = await this.#pool.acquire(signal);
    try {
      // Acquires SQLite's write lock immediately: a transaction that reads first and writes later could fail to get it.
      await run(session, plain(this.dialect === "sqlite" ? "begin immediate" : this.dialect === "mysql" ? "start transaction" : "begin"));
    } catch (error) {
      this.#pool.release(session);
      throw error;
    }
    return new SqlTransaction(this.dialect, session, () => this.#pool.release(session));
  }

  /** Listens to a channel on a dedicated session outside the pool. */
  async listen(channel: string, { notified, lost }: NotificationListener): Promise<{ stop(): void }> {
    const session = await this.#pool.connect();
    let isOver = false;
    // The server sends nothing while nothing is published, so only a query detects a dead connection.
    const endChecks = every(this.#clock, checkMs, () => {
      withTimeout(this.#clock, checkMs, session.execute(plain("select 1")), () => unavailable("no response")).catch(() => session.destroy());
    });
    const stop = (): void => {
      isOver = true;
      endChecks();
      session.destroy();
    };
    try {
      if (session.listen === undefined) throw sqlInputError("sql-failed", `${this.dialect} does not support LISTEN: use a PostgreSQL connection`);
      await session.listen(channel, { notified, lost: () => (isOver ? undefined : lost()) });
      return { stop };
    } catch (error) {
      stop();
      throw sqlFailure(error);
    }
  }

  /** Product name and version reported by the server. */
  async version(signal?: AbortSignal): Promise<string> {
    if (this.#pool.isFull) return this.#version;
    const { rows } = await this.execute(plain(this.#driver.versionQuery), signal);
    return (this.#version = String(rows[0]?.["version"]));
  }

  async tables(prefix: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.execute({ text: this.#driver.tablesQuery, values: [`${prefix.replaceAll(/[%_\\]/g, "")}%`, limit], isFixed: true });
    return rows.map((row) => String(Object.values(row)[0]));
  }

  close(): void {
    this.#pool.close();
  }
}

export class SqlTransaction implements Executor, Transaction {
  readonly dialect: Dialect;
  readonly #session: Session;
  readonly #release: () => void;
  #isOver = false;
  #savepoints = 0;

  constructor(dialect: Dialect, session: Session, release: () => void) {
    this.dialect = dialect;
    this.#session = session;
    this.#release = release;
  }

  execute(statement: Statement, signal?: AbortSignal): Promise<SqlResult> {
    this.#check();
    const execute = (): Promise<SqlResult> => run(this.#session, statement);
    return abortable(this.#session, () => (this.dialect === "postgres" ? this.#guarded(execute) : execute()), signal);
  }

  async executeAll(statements: readonly Statement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    this.#check();
    return this.#guarded(() => this.executeEach(statements, signal));
  }

  /** Executes statements until one fails; those before it keep their effects until rollback. */
  async executeEach(statements: readonly Statement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    const results: SqlResult[] = [];
    for (const statement of statements) results.push(await abortable(this.#session, () => run(this.#session, statement), signal));
    return results;
  }

  async *stream(statement: Statement, fetchSize: number): AsyncIterableIterator<Row> {
    this.#check();
    const savepoint = this.dialect === "postgres" ? await this.#setSavepoint() : undefined;
    try {
      yield* this.#session.stream(statement, fetchSize);
    } catch (error) {
      if (savepoint !== undefined) await this.#rollBackTo(savepoint);
      throw sqlFailure(error, { statement: statement.text });
    }
  }

  async commit(): Promise<void> {
    this.#check();
    try {
      await run(this.#session, plain("commit"));
    } catch (error) {
      // The outcome of the commit is unknown, so the session is not reused.
      this.#session.destroy();
      throw error;
    } finally {
      this.#end();
    }
  }

  async rollback(): Promise<void> {
    if (this.#isOver) return;
    try {
      if (!this.#session.isBroken) await run(this.#session, plain("rollback"));
    } catch {
      // The server rolls back when the session ends.
      this.#session.destroy();
    } finally {
      this.#end();
    }
  }

  /** Undoes failed work. PostgreSQL needs this for each statement: after a failed one it rejects all others until rollback. */
  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    const savepoint = await this.#setSavepoint();
    try {
      const result = await work();
      // Some statements of MySQL commit implicitly and thereby remove the savepoint.
      if (this.dialect !== "mysql") await run(this.#session, plain(`release savepoint ${savepoint}`));
      return result;
    } catch (error) {
      await this.#rollBackTo(savepoint);
      throw error;
    }
  }

  async #setSavepoint(): Promise<string> {
    const name = `sluice_${++this.#savepoints}`;
    await run(this.#session, plain(`savepoint ${name}`));
    return name;
  }

  async #rollBackTo(savepoint: string): Promise<void> {
    if (this.#session.isBroken) return;
    // If the savepoint no longer exists, the server has already ended the transaction, for example because of a deadlock. It would commit later
    // statements one by one.
    await run(this.#session, plain(`rollback to savepoint ${savepoint}`)).catch(() => this.#session.destroy());
  }

  #check(): void {
    if (this.#isOver) throw unavailable("the transaction has ended");
    if (this.#session.isBroken) throw unavailable("the transaction has lost its connection");
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
  }
}

const plain = (text: string): Statement => ({ text, values: [], isFixed: false });

async function run(session: Session, statement: Statement): Promise<SqlResult> {
  try {
    return await session.execute(statement);
  } catch (error) {
    throw sqlFailure(error, { statement: statement.text });
  }
}
