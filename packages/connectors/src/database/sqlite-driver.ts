// The driver for SQLite. Statements run on the event loop: SQLite has no server to wait for.
import { createRequire } from "node:module";
import { FlowError } from "@sluice/engine/spi";
import { findSqlite, howToGetSqlite } from "../clients/sqlite-module.ts";
import type { Driver, Row, Session, SqlResult, Statement } from "./database.ts";

interface SqliteStatement {
  all(...values: unknown[]): Row[];
  iterate(...values: unknown[]): IterableIterator<Row>;
  run(...values: unknown[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
  columns?(): readonly { readonly name: string }[];
  setReadBigInts(enabled: boolean): void;
}
interface SqliteDatabase {
  exec(text: string): void;
  prepare(text: string): SqliteStatement;
  close(): void;
}
export interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

const requireModule = createRequire(import.meta.url);

/** The built-in driver or the package; throws when neither is available. */
export function sqliteModule(): SqliteModule {
  const path = findSqlite();
  if (path !== undefined) return requireModule(path) as SqliteModule;
  const text = `Node ${process.versions.node} does not include SQLite: ${howToGetSqlite()}`;
  throw new FlowError("java.lang.ClassNotFoundException", text, { code: "client-missing" });
}

const maxPrepared = 200;
/** SQLITE_BUSY: another connection is writing. */
const busy = 5;
const busyWaitMs = 5;

export interface SqliteOptions {
  readonly path: string;
  /** How long to wait while another connection is writing. */
  readonly busyTimeout: number;
}

export function sqliteDriver(module: SqliteModule, { path, busyTimeout }: SqliteOptions): Driver {
  return {
    dialect: "sqlite",
    versionQuery: "select 'SQLite ' || sqlite_version() as version",
    tablesQuery: "select name from sqlite_schema where type in ('table', 'view') and name like ? order by 1 limit ?",
    async connect() {
      const database = new module.DatabaseSync(path);
      // Waiting for a lock inside the driver would block the event loop; SqliteSession.execute retries instead.
      database.exec("pragma busy_timeout = 0; pragma foreign_keys = on");
      if (path !== ":memory:") database.exec("pragma journal_mode = wal; pragma synchronous = normal");
      return new SqliteSession(database, busyTimeout);
    },
  };
}

class SqliteSession implements Session {
  readonly #database: SqliteDatabase;
  readonly #busyTimeout: number;
  readonly #prepared = new Map<string, SqliteStatement>();
  isBroken = false;

  constructor(database: SqliteDatabase, busyTimeout: number) {
    this.#database = database;
    this.#busyTimeout = busyTimeout;
  }

  async execute({ text, values }: Statement): Promise<SqlResult> {
    for (const until = Date.now() + this.#busyTimeout; ;) {
      try {
        return this.#executeNow(text, values);
      } catch (error) {
        if (((error as { errcode?: number }).errcode ?? 0) % 256 !== busy || Date.now() >= until) throw error;
        await new Promise((resolve) => setTimeout(resolve, busyWaitMs));
      }
    }
  }

  async *stream({ text, values }: Statement): AsyncIterableIterator<Row> {
    const statement = this.#database.prepare(text);
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...values)) yield convertRow(row);
  }

  destroy(): void {
    if (this.isBroken) return;
    this.isBroken = true;
    this.#prepared.clear();
    this.#database.close();
  }

  #executeNow(text: string, values: readonly unknown[]): SqlResult {
    const statement = this.#prepare(text);
    const columns = statement.columns?.().map(({ name }) => name);
    if (columns === undefined ? returnsRows(text) : columns.length > 0) {
      const rows = statement.all(...values).map(convertRow);
      return { columns: columns ?? Object.keys(rows[0] ?? {}), rows, updateCount: undefined };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    return { columns: undefined, rows: [], updateCount: Number(changes), insertId: convertRow({ id: lastInsertRowid })["id"] };
  }

  #prepare(text: string): SqliteStatement {
    const cached = this.#prepared.get(text);
    if (cached !== undefined) return cached;
    const statement = this.#database.prepare(text);
    statement.setReadBigInts(true);
    if (this.#prepared.size >= maxPrepared) this.#prepared.delete(this.#prepared.keys().next().value as string);
    this.#prepared.set(text, statement);
    return statement;
  }
}

/** For drivers that do not report the columns of a statement. */
const returnsRows = (text: string): boolean => /^\s*(?:select|with|values|pragma|explain)\b/i.test(text) || /\breturning\b/i.test(text);

function convertRow(row: Row): Row {
  const copy: Row = {};
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== "bigint") copy[name] = value;
    else copy[name] = Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  return copy;
}
