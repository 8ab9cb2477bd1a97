// SQLite through the API of node:sqlite: the built-in module if this Node has it, else a package with the same API. Parameters are
// always positional, because both support those in the same way.
import { createRequire } from "node:module";

export type SqlValue = null | number | string | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
}

export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Driver {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly: boolean }) => Database;
}

const require = createRequire(import.meta.url);
const fallback = "@photostructure/sqlite";

/** The driver's module name or path, valid for `require` in any thread. Throws when there is none. */
export function driverPath(): string {
  const found = findDriver();
  if (found === undefined)
    throw new Error(`the durable store needs node:sqlite (Node 22.13 or later) or the optional package ${fallback}, which is not installed`);
  return found;
}

/** Like `driverPath`, but undefined when there is none. */
export function findDriver(): string | undefined {
  try {
    require("node:sqlite");
    return "node:sqlite";
  } catch {
    try {
      return require.resolve(fallback);
    } catch {
      return undefined;
    }
  }
}

/** Which features are unavailable without a driver; undefined when there is one. */
export function missingDriver(): string | undefined {
  try {
    // Checked first because loading node:sqlite prints a warning.
    require.resolve(fallback);
    return undefined;
  } catch {
    try {
      driverPath();
      return undefined;
    } catch {
      const platform = `${process.platform}-${process.arch}`;
      return `SQLite is not available for Node ${process.versions.node} on ${platform}: flows run, but durable queues and stored dead letters do not work; Node 22.13 and later include SQLite`;
    }
  }
}

export function loadDriver(path: string): Driver {
  return require(path) as Driver;
}
