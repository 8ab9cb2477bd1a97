// SQLite through the API of node:sqlite: the built-in one where the running Node has it, else the package that offers the
// same API. Parameters are positional everywhere, for that is where the two agree.
import { createRequire } from "node:module";

export type SqlValue = null | number | string | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Statement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Driver {
  readonly DatabaseSync: new (path: string) => Database;
}

const require = createRequire(import.meta.url);
const fallback = "@photostructure/sqlite";

/** The driver's name or file, as `require` takes it in any thread. Throws when there is none. */
export function driverPath(): string {
  try {
    require("node:sqlite");
    return "node:sqlite";
  } catch {
    try {
      return require.resolve(fallback);
    } catch (error) {
      throw new Error(`the durable store needs node:sqlite (Node 22.13 or later) or the optional package ${fallback}, which is not installed`, {
        cause: error,
      });
    }
  }
}

export function loadDriver(path: string): Driver {
  return require(path) as Driver;
}
