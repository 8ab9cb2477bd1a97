// Calls procedures and functions in the dialect of each database. Names and types come from the template; values are bound.
import { FlowError, type Exchange } from "@sluice/engine/spi";
import { boundValue } from "../database/bound-value.ts";
import type { Row, SqlResult, Statement } from "../database/database.ts";
import type { Executor } from "../database/sql-database.ts";
import type { CallParameter, CallTemplate } from "./call-template.ts";

export interface CallResult {
  /** Output values by name, and `#result-set-1`, `#result-set-2`, … */
  readonly values: Row;
  readonly updateCount: number;
}

export async function callStored(template: CallTemplate, isFunction: boolean, executor: Executor, exchange: Exchange, data: unknown): Promise<CallResult> {
  const { dialect } = executor;
  if (dialect === "sqlite")
    throw new FlowError("java.lang.UnsupportedOperationException", "SQLite has no stored procedures: use sql instead of sql-stored", {
      code: "sql-stored-sqlite",
    });
  const values = template.parameters.map((parameter) => (parameter.value === undefined ? null : boundValue(parameter.value(exchange, data), dialect)));
  const { signal } = exchange.run;
  if (dialect === "postgres") return callPostgres(template, isFunction, values, (statement) => executor.execute(statement, signal));
  return callMysql(template, isFunction, values, executor, signal);
}

const cast = (parameter: CallParameter, mark: string): string => `cast(${mark} as ${parameter.type})`;

async function callPostgres(
  { procedure, parameters }: CallTemplate,
  isFunction: boolean,
  values: readonly unknown[],
  execute: (statement: Statement) => Promise<SqlResult>,
): Promise<CallResult> {
  // A procedure has a placeholder for each output value, a function has none.
  const inputs = parameters
    .map((parameter, index) => ({ parameter, value: values[index] }))
    .filter(({ parameter }) => !isFunction || parameter.direction !== "OUT");
  const placeholders = inputs.map(({ parameter }, index) => cast(parameter, `$${index + 1}`)).join(", ");
  const text = isFunction ? `select * from ${procedure}(${placeholders})` : `call ${procedure}(${placeholders})`;
  const result = await execute({ text, values: inputs.map(({ value }) => value), isFixed: true });
  const outputs = parameters.filter(({ direction }) => direction !== "IN");
  const [first] = result.rows;
  const outValues: Row = {};
  if (first !== undefined)
    for (const [index, value] of Object.values(first).entries()) if (outputs[index]?.name !== undefined) outValues[outputs[index].name] = value;
  const sets = outputs.length === 0 && result.columns !== undefined && result.rows.length > 0 ? { "#result-set-1": result.rows } : {};
  return { values: { ...outValues, ...sets }, updateCount: result.updateCount ?? 0 };
}

/** Output values use session variables, so all statements run on one session. */
async function callMysql(
  { procedure, parameters }: CallTemplate,
  isFunction: boolean,
  values: readonly unknown[],
  executor: Executor,
  signal: AbortSignal,
): Promise<CallResult> {
  if (isFunction) {
    const inner = parameters.flatMap(({ direction }, index) => (direction === "OUT" ? [] : [values[index]]));
    const name = parameters.find(({ direction }) => direction !== "IN")?.name ?? "result";
    const { rows } = await executor.execute(
      { text: `select ${procedure}(${inner.map(() => "?").join(", ")}) as ${name}`, values: inner, isFixed: true },
      signal,
    );
    return { values: { ...rows[0] }, updateCount: 0 };
  }
  const variable = (index: number): string => `@sluice_p${index}`;
  const assignments = parameters.flatMap(({ direction }, index): Statement[] =>
    direction === "IN" ? [] : [{ text: `set ${variable(index)} = ?`, values: [values[index]], isFixed: true }],
  );
  const list = parameters.map(({ direction }, index) => (direction === "IN" ? "?" : variable(index)));
  const call: Statement = {
    text: `call ${procedure}(${list.join(", ")})`,
    values: values.filter((_, index) => parameters[index]?.direction === "IN"),
    isFixed: true,
  };
  const outputs = parameters.map(({ direction, name }, index) => ({ direction, name, index })).filter(({ direction }) => direction !== "IN");
  const read: Statement[] =
    outputs.length === 0 ? [] : [{ text: `select ${outputs.map(({ index, name }) => `${variable(index)} as ${name}`).join(", ")}`, values: [], isFixed: true }];
  const results = await executor.executeAll([...assignments, call, ...read], signal);
  const called = results[assignments.length] as SqlResult;
  const sets = Object.fromEntries((called.resultSets ?? []).map((rows, index) => [`#result-set-${index + 1}`, rows]));
  return { values: { ...(read.length === 0 ? {} : results.at(-1)?.rows[0]), ...sets }, updateCount: called.updateCount ?? 0 };
}
