// SQLite through the API of node:sqlite: the built-in module or a package with the same API. Parameters are always positional, because both
// support those in the same way.
import { createRequire } from "node:module";
import { findSqlite, howToGetSqlite } from "@sluice/connectors";

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

/** The driver's module name or path, valid for `require` in any thread. Throws when there is none. */
export function driverPath(): string {
  const found = findSqlite();
  if (found === undefined) throw new Error(`the durable store needs SQLite, which Node ${process.versions.node} does not include: ${howToGetSqlite()}`);
  return found;
}

/** Which features are unavailable without a driver; undefined when there is one. */
export function missingDriver(): string | undefined {
  if (findSqlite() !== undefined) return undefined;
  return `Node ${process.versions.node} does not include SQLite: flows run, but durable queues and stored dead letters do not work; ${howToGetSqlite()}`;
}

export function loadDriver(path: string): Driver {
  return require(path) as Driver;
}
