// Parses a procedure or function call: `NAME(INTEGER :#a, VARCHAR ${body}, OUT INTEGER b, INOUT DOUBLE :#c c)`.
import { CompileError, type Exchange, type Expression } from "@sluice/engine/spi";
import { namedValue } from "../database/sql-statement.ts";

export interface CallParameter {
  readonly direction: "IN" | "OUT" | "INOUT";
  /** The PostgreSQL type that the value is cast to; MySQL needs no cast. */
  readonly type: string;
  /** Name of the output value; undefined for an input parameter. */
  readonly name: string | undefined;
  /** Source of the input value; undefined for an output parameter. */
  value?(exchange: Exchange, data: unknown): unknown;
}

export interface CallTemplate {
  readonly procedure: string;
  readonly parameters: readonly CallParameter[];
}

const types: Readonly<Record<string, string>> = {
  INTEGER: "integer",
  INT: "integer",
  BIGINT: "bigint",
  SMALLINT: "smallint",
  TINYINT: "smallint",
  VARCHAR: "varchar",
  // In PostgreSQL, `char` has a length of one.
  CHAR: "bpchar",
  LONGVARCHAR: "text",
  CLOB: "text",
  NVARCHAR: "varchar",
  DOUBLE: "double precision",
  FLOAT: "double precision",
  REAL: "real",
  DECIMAL: "decimal",
  NUMERIC: "decimal",
  BOOLEAN: "boolean",
  BIT: "boolean",
  DATE: "date",
  TIME: "time",
  TIMESTAMP: "timestamp",
  TIMESTAMP_WITH_TIMEZONE: "timestamptz",
  BINARY: "bytea",
  VARBINARY: "bytea",
  BLOB: "bytea",
  OTHER: "text",
  JSON: "json",
  UUID: "uuid",
};

const callPattern = /^\s*([A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*){0,2})\s*\(([^]*)\)\s*;?\s*$/;

/** `compile` is undefined for a template from a message: expressions in it are rejected. */
export function parseCall(text: string, compile: ((text: string) => Expression) | undefined): CallTemplate {
  const found = callPattern.exec(text);
  if (found === null)
    throw new CompileError("sql-template", `'${text.slice(0, 80)}' is not a valid call`, { hint: "write NAME(TYPE :#value, OUT TYPE name, …)" });
  const [, procedure = "", list = ""] = found;
  return { procedure, parameters: splitParameters(list).map((parameter) => readParameter(parameter, compile)) };
}

/** Splits at commas outside braces and parentheses. */
function splitParameters(list: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of list) {
    if (character === "{" || character === "(") depth++;
    else if (character === "}" || character === ")") depth--;
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  if (part.trim() !== "" || parts.length > 0) parts.push(part);
  return parts.map((text) => text.trim());
}

function readParameter(text: string, compile: ((text: string) => Expression) | undefined): CallParameter {
  const [, directionName = "IN", typeName = "", , rest = ""] = /^(?:(OUT|INOUT|IN)\s+)?([A-Za-z_]\w*)(\s*\([^)]*\))?\s+([^]+)$/i.exec(text) ?? [];
  const type = types[(typeName.split(".").at(-1) ?? "").toUpperCase()];
  if (type === undefined)
    throw new CompileError("sql-template", `unknown type of parameter '${text.slice(0, 60)}'`, {
      hint: `write one of ${Object.keys(types).join(", ")} before the value`,
    });
  const direction = directionName.toUpperCase() as CallParameter["direction"];
  if (direction === "OUT") return { direction, type, name: nameOf(rest, text) };
  if (direction === "IN") return { direction, type, name: undefined, value: valueOf(rest.trim(), compile) };
  const [, value = "", name = ""] = /^([^]+?)\s+(?:as\s+)?([A-Za-z_]\w*)\s*$/.exec(rest) ?? [];
  return { direction, type, name: nameOf(name, text), value: valueOf(value, compile) };
}

function nameOf(text: string, parameter: string): string {
  const name = /^\s*(?:as\s+)?([A-Za-z_]\w*)\s*$/.exec(text)?.[1];
  if (name === undefined)
    throw new CompileError("sql-template", `the output parameter '${parameter.slice(0, 60)}' needs a name`, { hint: "write OUT TYPE name" });
  return name;
}

function valueOf(text: string, compile: ((text: string) => Expression) | undefined): (exchange: Exchange, data: unknown) => unknown {
  const named = /^:[#?]([A-Za-z_]\w*)$/.exec(text)?.[1];
  if (named !== undefined) return (exchange, data) => namedValue(named, exchange, data, text);
  const expression = /^(?::[#?])?(\$\{[^]*\})$/.exec(text)?.[1];
  if (expression === undefined) throw new CompileError("sql-template", `'${text.slice(0, 60)}' is not a valid value`, { hint: "write :#name or ${…}" });
  if (compile === undefined)
    throw new CompileError("sql-template", `expression ${expression} is not allowed in a template from a message; set a header and use :#name instead`);
  const compiled = compile(expression);
  return (exchange, data) => {
    const { body } = exchange.message;
    exchange.message.body = data;
    try {
      return compiled(exchange);
    } finally {
      exchange.message.body = body;
    }
  };
}
