// Keys that the database generates for new rows.
import { asText, iterate } from "@sluice/engine/values";
import type { Dialect, Row, SqlResult, Statement } from "./database.ts";
import { sqlInputError } from "./sql-failure.ts";

export interface KeyRequest {
  /** The requested columns; empty for all columns that the database can return. */
  readonly columns: readonly string[];
}

/** Undefined when the route did not request keys. */
export function keyRequest(retrieve: unknown, columns: unknown): KeyRequest | undefined {
  if (retrieve !== true && asText(retrieve).toLowerCase() !== "true") return undefined;
  const names = iterate(columns).map((name) => asText(name).trim());
  for (const name of names)
    if (!/^[A-Za-z_][\w$]{0,127}$/.test(name))
      throw sqlInputError("sql-generated-columns", `'${name.slice(0, 60)}' is not a valid column name for generated keys`);
  return { columns: names };
}

/** Extends the statement so that the database returns the keys. */
export function withReturningClause(statement: Statement, { columns }: KeyRequest, dialect: Dialect): Statement {
  if (dialect === "mysql" || !/^\s*(?:insert|update|delete|merge|replace)\b/i.test(statement.text) || /\breturning\b/i.test(statement.text)) return statement;
  const list = columns.length === 0 ? "*" : columns.join(", ");
  return { ...statement, text: `${statement.text.replace(/[\s;]+$/, "")} returning ${list}` };
}

export interface KeyResult {
  readonly keys: readonly Row[];
  readonly updateCount: number | undefined;
}

/** The generated keys and the number of changed rows. */
export function keysOf(result: SqlResult, { columns }: KeyRequest, isSelect: boolean): KeyResult {
  if (isSelect) return { keys: [], updateCount: undefined };
  if (result.columns !== undefined) return { keys: result.rows, updateCount: result.rows.length };
  const { insertId, updateCount } = result;
  const keys = insertId === undefined || insertId === 0 ? [] : [{ [columns[0] ?? "GENERATED_KEY"]: insertId }];
  return { keys, updateCount };
}
