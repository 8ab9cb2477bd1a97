// The database behind a connection: a session pool, and transactions on single sessions.
import type { Clock, Transaction } from "@sluice/engine/spi";
import type { Dialect, Driver, NotificationListener, Row, Session, SqlResult, Statement } from "./database.ts";
import { abortable, SessionPool, type PoolOptions } from "./session-pool.ts";
import { sqlFailure, unavailable } from "./sql-failure.ts";

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

  #version = "";

  constructor(driver: Driver, options: PoolOptions, clock: Clock, unreachable: (problem: string) => void) {
    this.dialect = driver.dialect;
    this.#driver = driver;
    this.#pool = new SessionPool(driver, options, clock, unreachable);
  }

  execute(statement: Statement, signal?: AbortSignal): Promise<SqlResult> {
    return this.#pool.use((session) => run(session, statement), signal);
  }

  async executeAll(statements: readonly Statement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    const transaction = await this.begin(signal);
    try {
      const results = await transaction.executeAll(statements, signal);
      await transaction.commit();
      return results;
    } catch (thrown) {
      await transaction.rollback();
      throw thrown;
    }
  }

  async *stream(statement: Statement, fetchSize: number): AsyncIterableIterator<Row> {
    const session = await this.#pool.acquire();
    try {
      yield* session.stream(statement, fetchSize);
    } catch (thrown) {
      throw sqlFailure(thrown, { statement: statement.text });
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
    } catch (thrown) {
      this.#pool.release(session);
      throw thrown;
    }
    return new SqlTransaction(this.dialect, session, () => this.#pool.release(session));
  }

  /** Listens to a channel on a dedicated session outside the pool. */
  async listen(channel: string, { notified, lost }: NotificationListener): Promise<{ stop(): void }> {
    const session = await this.#driver.connect();
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      session.destroy();
    };
    try {
      if (session.listen === undefined) throw unavailable(`${this.dialect} has no notifications`);
      await session.listen(channel, { notified, lost: () => (isOver ? undefined : lost()) });
      return { stop };
    } catch (thrown) {
      stop();
      throw sqlFailure(thrown);
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
    return abortable(this.#session, () => this.#guarded(statement), signal);
  }

  async executeAll(statements: readonly Statement[], signal?: AbortSignal): Promise<readonly SqlResult[]> {
    this.#check();
    const results: SqlResult[] = [];
    for (const statement of statements) results.push(await abortable(this.#session, () => run(this.#session, statement), signal));
    return results;
  }

  async *stream(statement: Statement, fetchSize: number): AsyncIterableIterator<Row> {
    this.#check();
    try {
      yield* this.#session.stream(statement, fetchSize);
    } catch (thrown) {
      throw sqlFailure(thrown, { statement: statement.text });
    }
  }

  async commit(): Promise<void> {
    this.#check();
    try {
      await run(this.#session, plain("commit"));
    } catch (thrown) {
      // The outcome of the commit is unknown, so the session is not reused.
      this.#session.destroy();
      throw thrown;
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

  /** After a failed statement PostgreSQL rejects all others until rollback, so each statement gets its own savepoint. */
  async #guarded(statement: Statement): Promise<SqlResult> {
    if (this.dialect !== "postgres") return run(this.#session, statement);
    const name = `sluice_${++this.#savepoints}`;
    await run(this.#session, plain(`savepoint ${name}`));
    try {
      const result = await run(this.#session, statement);
      await run(this.#session, plain(`release savepoint ${name}`));
      return result;
    } catch (thrown) {
      if (!this.#session.isBroken) await run(this.#session, plain(`rollback to savepoint ${name}`));
      throw thrown;
    }
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
  } catch (thrown) {
    throw sqlFailure(thrown, { statement: statement.text });
  }
}
