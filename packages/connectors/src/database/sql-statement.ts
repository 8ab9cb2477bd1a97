// Converts a statement and a message to a driver call. Each statement is parsed once per database.
import { FlowError, type Exchange, type Expression } from "@sluice/engine/spi";
import { entryOf, hasEntry, isMap, iterate } from "@sluice/engine/values";
import type { Dialect, Statement } from "./database.ts";
import { boundValue } from "./bound-value.ts";
import { nativeText, parseStatement, type Parameter, type StatementTemplate, type TemplateOptions } from "./statement-template.ts";

const dialects: readonly Dialect[] = ["postgres", "mysql", "sqlite"];
/** Maximum number of values in a statement; the protocols limit it. */
const maxValues = 32_767;

export interface StatementOptions extends TemplateOptions {
  /** Separator for text that contains several values. */
  readonly separator: string;
}

/** The source of a statement's values. */
export interface ValueSource {
  readonly exchange: Exchange;
  /** The body, one item of a batch, or a row. */
  readonly data: unknown;
}

export class SqlStatement {
  readonly text: string;
  readonly #options: StatementOptions;
  /** Undefined for a statement from a message. */
  readonly #expressions: ReadonlyMap<string, Expression> | undefined;
  readonly #templates = new Map<Dialect, StatementTemplate>();
  /** The SQL of statements without list parameters, which never changes. */
  readonly #fixed = new Map<Dialect, string>();

  private constructor(text: string, options: StatementOptions, expressions: ReadonlyMap<string, Expression> | undefined) {
    this.text = text;
    this.#options = options;
    this.#expressions = expressions;
  }

  /** A statement written in the flow: its expressions are compiled now. */
  static fromFlow(text: string, options: StatementOptions, compile: (text: string) => Expression): SqlStatement {
    const expressions = new Map<string, Expression>();
    for (const dialect of dialects)
      for (const parameter of parseStatement(text, options, dialect).parameters)
        if (parameter.kind === "expression" && !expressions.has(parameter.text)) expressions.set(parameter.text, compile(parameter.text));
    return new SqlStatement(text, options, expressions);
  }

  /** A statement from a message: expressions in it are rejected. */
  static fromMessage(text: string, options: StatementOptions): SqlStatement {
    return new SqlStatement(text, options, undefined);
  }

  bind(source: ValueSource, dialect: Dialect): Statement {
    const template = this.#template(dialect);
    const { parameters } = template;
    const positions = this.#positions(parameters, source.data);
    const values: unknown[] = [];
    const lengths: number[] = [];
    let position = 0;
    for (const parameter of parameters) {
      const value = parameter.kind === "position" ? positions[position++] : this.#valueOf(parameter, source);
      const list = parameter.kind !== "position" && parameter.isList ? this.#listOf(parameter, value) : [value];
      lengths.push(list.length);
      for (const item of list) values.push(boundValue(item, dialect));
    }
    if (values.length > maxValues)
      throw parameterError(
        `the statement has ${values.length} values, more than the maximum of ${maxValues}: split the list, and execute one statement for each part`,
      );
    const fixed = this.#fixed.get(dialect);
    return { text: fixed ?? nativeText(template, dialect, lengths), values, isFixed: fixed !== undefined && this.#expressions !== undefined };
  }

  #template(dialect: Dialect): StatementTemplate {
    const cached = this.#templates.get(dialect);
    if (cached !== undefined) return cached;
    const template = parseStatement(this.text, this.#options, dialect);
    this.#templates.set(dialect, template);
    if (!template.parameters.some((parameter) => parameter.kind !== "position" && parameter.isList))
      this.#fixed.set(dialect, nativeText(template, dialect, []));
    return template;
  }

  #positions(parameters: readonly Parameter[], data: unknown): readonly unknown[] {
    const expected = parameters.reduce((count, { kind }) => (kind === "position" ? count + 1 : count), 0);
    if (expected === 0) return [];
    // A single string for a single parameter is used as is, including commas.
    const isSingle = expected === 1 && !Array.isArray(data) && !(data instanceof Set);
    const values = isSingle ? [data] : isMap(data) ? [] : iterate(data, this.#options.separator);
    if (values.length === expected) return values;
    throw parameterError(
      isMap(data)
        ? `the statement has ${expected} positional parameters, but the body is a map; use named parameters (:#name)`
        : `the statement has ${expected} parameters, but the number of values is ${values.length}`,
    );
  }

  #valueOf(parameter: Exclude<Parameter, { kind: "position" }>, { exchange, data }: ValueSource): unknown {
    if (parameter.kind === "name") return namedValue(parameter.name, exchange, data, this.text);
    const expression = this.#expressions?.get(parameter.text);
    if (expression === undefined)
      throw parameterError(`expression ${parameter.text} is not allowed in a statement from a message; set a header and use :#name instead`);
    // Expressions of a batch are evaluated with the item as body.
    if (exchange.message.body === data) return expression(exchange);
    const { body } = exchange.message;
    exchange.message.body = data;
    try {
      return expression(exchange);
    } finally {
      exchange.message.body = body;
    }
  }

  #listOf(parameter: Exclude<Parameter, { kind: "position" }>, value: unknown): readonly unknown[] {
    const list = iterate(value, this.#options.separator);
    const name = parameter.kind === "name" ? parameter.name : parameter.text;
    if (list.length === 0) throw parameterError(`the list parameter '${name}' is empty: skip the statement when the list is empty`);
    return typeof value === "string" ? list.map((item) => (item as string).trim()) : list;
  }
}

/**
 * The value of a named parameter: from the data if it is a map, then from the headers, then from the variables. A null in the data is a value,
 * as in Camel.
 */
export function namedValue(name: string, exchange: Exchange, data: unknown, text: string): unknown {
  if (hasEntry(data, name)) return entryOf(data, name) ?? null;
  const { headers } = exchange.message;
  const header = headers.get(name);
  if (header !== undefined) return header;
  const variable = exchange.variable(name);
  if (variable !== undefined) return variable;
  if (headers.has(name)) return null;
  throw parameterError(`no value for parameter '${name}': it is not in the body, the headers or the variables (statement: ${text.slice(0, 200)})`);
}

function parameterError(message: string): FlowError {
  return new FlowError("org.apache.camel.RuntimeExchangeException", message, { code: "sql-parameters" });
}
