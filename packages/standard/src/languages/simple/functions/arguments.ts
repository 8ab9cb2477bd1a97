// Parses the text between a function's parentheses. Functions differ in how they treat quotes and spaces around an argument; each variant has a name
// here. Nested functions are not parsed: their commas and quotes belong to them.
import { CompileError, type Expression } from "@sluice/engine/spi";
import type { SimpleScope } from "../compile/scope.ts";
import { endOfFunction, isQuote, openingAt } from "../parse/scan.ts";

/** One argument as written. */
export interface Argument {
  readonly text: string;
  readonly offset: number;
}

/** A function call: its name, the text between the parentheses, and how to compile parts of it. */
export interface Call {
  readonly name: string;
  readonly text: string;
  readonly offset: number;
  readonly scope: SimpleScope;
  /** Argument text as a template. */
  value(argument: Argument): Expression;
  /** Argument text as a predicate. */
  test(argument: Argument): Expression<boolean>;
  fault(message: string, hint?: string): CompileError;
}

export type SimpleFunction = (call: Call) => Expression;

/** Splits at commas outside quotes and nested functions. Empty text between two commas is not an argument; `''` is one. */
export function separate(text: string, offset: number): readonly Argument[] {
  const args: Argument[] = [];
  let quote: string | undefined;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (openingAt(text, at) > 0) at = endOfFunction(text, at, offset) - 1;
    else if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (isQuote(char)) quote = char;
    else if (char === ",") {
      if (at > from) args.push({ text: text.slice(from, at), offset: offset + from });
      from = at + 1;
    }
  }
  if (from < text.length) args.push({ text: text.slice(from), offset: offset + from });
  return args;
}

/** The arguments without the quotes around their parts; spaces are preserved. */
export function untrimmedArguments(call: Call): readonly Argument[] {
  return separate(call.text, call.offset).map(({ text, offset }) => ({ text: withoutDelimiters(text), offset }));
}

/** The arguments without the quotes around their parts, trimmed. */
export function trimmedArguments(call: Call): readonly Argument[] {
  return untrimmedArguments(call).map(({ text, offset }) => ({ text: text.trim(), offset }));
}

/** The arguments trimmed, then without one pair of surrounding quotes. */
export function unquotedArguments(call: Call): readonly Argument[] {
  return rawArguments(call).map(({ text, offset }) => ({ text: unquoted(text), offset }));
}

/** The arguments as written, trimmed. */
export function rawArguments(call: Call): readonly Argument[] {
  return separate(call.text, call.offset).map(({ text, offset }) => ({ text: text.trim(), offset: offset + (text.length - text.trimStart().length) }));
}

/** The only argument without any quote characters; the message body when there is none. */
export function single(call: Call): Expression {
  if (call.text === "") return (exchange) => exchange.message.body;
  return call.value({ text: withoutQuotes(call.text), offset: call.offset });
}

/** The value of the argument, or the message body when it is omitted. */
export function orBody(call: Call, argument: Argument | undefined): Expression {
  return argument === undefined ? (exchange) => exchange.message.body : call.value(argument);
}

/** Fails unless the number of arguments is right. */
export function expectCount(call: Call, args: readonly Argument[], min: number, max: number, form: string): void {
  if (args.length >= min && args.length <= max) return;
  throw call.fault(`${call.name} takes ${min === max ? min : `${min} to ${max}`} argument(s), not ${args.length}`, `write \${${form}}`);
}

/** Text without one pair of quotes around it. */
export function unquoted(text: string): string {
  return text.length >= 2 && isQuote(text[0]) && text.endsWith(text[0] as string) ? text.slice(1, -1) : text;
}

/** Removes all quote characters outside nested functions. */
function withoutQuotes(text: string): string {
  return mapOutside(text, (plain) => plain.replaceAll(/["']/g, ""));
}

/** Removes the quotes that delimit a part; a quote of the other kind inside is text. */
function withoutDelimiters(text: string): string {
  let quote: string | undefined;
  return mapOutside(text, (plain) => {
    let result = "";
    for (const char of plain) {
      if (quote === undefined && isQuote(char)) quote = char;
      else if (char === quote) quote = undefined;
      else result += char;
    }
    return result;
  });
}

function mapOutside(text: string, change: (plain: string) => string): string {
  let result = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (openingAt(text, at) === 0) continue;
    const end = endOfFunction(text, at, 0);
    result += change(text.slice(from, at)) + text.slice(at, end);
    from = end;
    at = end - 1;
  }
  return result + change(text.slice(from));
}
