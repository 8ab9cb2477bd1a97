// `body`, `header.x`, `exchangeProperty.x`, `variable.x`: values of the exchange by name, followed by a path.
import { isCompileError, FlowError, type Exchange, type Expression } from "@sluice/engine/spi";
import { readJsonAhead } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { parsePath } from "../parse/path.ts";
import { endOfFunction, hasFunction, openingAt, syntaxError } from "../parse/scan.ts";
import { compilePath, type Walk } from "./path.ts";
import { memoize, type SimpleScope } from "./scope.ts";
import { unquoted } from "../functions/arguments.ts";

type Reader = (name: string) => Expression;

/** Compiles content that starts with one of the access words; undefined when it does not. */
export function compileAccess(content: string, offset: number, scope: SimpleScope): Expression | undefined {
  const match = /^(?:in\.)?(body|headers?|exchangeProperty|variables?)(?![A-Za-z0-9_(-])/.exec(content);
  if (match === null) return undefined;
  const word = match[1] as string;
  if (content.startsWith("in.") && !/^(body|header)/.test(word)) return undefined;
  const tail = content.slice(match[0].length);
  const at = offset + match[0].length;
  if (word === "body") return compileBody(tail, at, scope);
  if (word === "headers" || word === "variables") {
    const all = word === "headers" ? allHeaders : allVariables;
    if (tail === "") return all;
    if (/^\.(size|length)(\(\))?$/.test(tail))
      return word === "headers" ? (exchange) => exchange.message.headers.size : (exchange) => exchange.variables?.size ?? 0;
  }
  const reader: Reader = word.startsWith("header") ? headerReader : word.startsWith("variable") ? variableReader(scope) : propertyReader;
  return compileNamed(tail, at, scope, reader);
}

function compileBody(tail: string, offset: number, scope: SimpleScope): Expression | undefined {
  if (tail === "") return (exchange) => exchange.message.body ?? null;
  if (!/^(\.|\?\.|\[)/.test(tail)) return undefined;
  const walk = compilePath(parsePath(tail, offset), scope);
  readJsonBeforeStep((exchange) => exchange.message.body, scope);
  return (exchange) => walk(exchange.message.body, exchange);
}

/** Requests that long JSON is parsed in slices before the step that reads it. */
export function readJsonBeforeStep(source: Expression, { language: { beforeStep, host } }: SimpleScope): void {
  beforeStep?.((exchange) => readJsonAhead(source(exchange), exchange, host.clock));
}

/** A path after the value of another function, such as `bodyAs(String).length`. */
export function compileTail(tail: string, offset: number, scope: SimpleScope, value: Expression): Expression {
  if (tail === "") return value;
  const walk = compilePath(parsePath(tail, offset), scope);
  return (exchange) => walk(value(exchange), exchange);
}

function compileNamed(tail: string, offset: number, scope: SimpleScope, reader: Reader): Expression {
  const separator = /^(\?\.|[.:]|\[)/.exec(tail)?.[0];
  if (separator === undefined) throw syntaxError("a name is missing: write .name, :name or [name]", offset);
  if (separator === "[") return compileBracketed(tail, offset, scope, reader);
  const name = tail.slice(separator.length);
  if (name === "") throw syntaxError(`a name is missing after '${separator}'`, offset);
  if (!hasFunction(name)) return compileDotted(name, offset + separator.length, scope, reader);
  return compileDynamic(name, offset + separator.length, scope, reader);
}

function compileBracketed(tail: string, offset: number, scope: SimpleScope, reader: Reader): Expression {
  const close = closingBracket(tail);
  if (close < 0) throw syntaxError("'[' is not closed: a ']' is missing", offset);
  const name = unquoted(tail.slice(1, close).trim());
  const read = hasFunction(name) ? byDynamicName(scope.compile.text(name, offset + 1, scope), reader) : reader(name);
  if (!hasFunction(name)) readJsonBeforeStep(read, scope);
  return compileTail(tail.slice(close + 1), offset + close + 1, scope, read);
}

function closingBracket(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (openingAt(text, at) > 0) at = endOfFunction(text, at, 0) - 1;
    else if (text[at] === "]") return at;
  }
  return -1;
}

/** The whole text may be a name with dots; if that does not exist, the first part is the name and the rest a path. */
function compileDotted(text: string, offset: number, scope: SimpleScope, reader: Reader): Expression {
  const comparison = / (?:[=!<>~]=?~?|=~|contains|in|is|range|regex|startsWith|endsWith) /.exec(text);
  if (comparison !== null && !/[['"(]/.test(text.slice(0, comparison.index)))
    throw syntaxError("a comparison is inside the braces", offset + comparison.index, "close the braces before the operator, as in ${header.name} == 'value'");
  const end = text.search(/\?\.|[.[(]/);
  const stray = text.indexOf("]");
  if (stray >= 0 && (end < 0 || stray < end)) throw syntaxError("']' has no matching '['", offset + stray);
  if (end < 0) return reader(text);
  if (end === 0) throw syntaxError(`a name is missing before '${text[0]}'`, offset);
  const walk = compilePath(parsePath(text.slice(end), offset + end), scope);
  const byFullName = /[[(]/.test(text) ? undefined : reader(text);
  const byFirstPart = reader(text.slice(0, end));
  readJsonBeforeStep(byFirstPart, scope);
  return firstOf(byFullName, byFirstPart, walk);
}

function firstOf(byFullName: Expression | undefined, byFirstPart: Expression, walk: Walk): Expression {
  if (byFullName === undefined) return (exchange) => walk(byFirstPart(exchange), exchange);
  return (exchange) => byFullName(exchange) ?? walk(byFirstPart(exchange), exchange);
}

/** A name known only at run time. Content of the message is used as a name or path, never as functions. */
function compileDynamic(text: string, offset: number, scope: SimpleScope, reader: Reader): Expression {
  const index = /^([^.[\]()?$]+)(\[.*)$/s.exec(text);
  if (index !== null) return compileTail(index[2] as string, offset + (index[1] as string).length, scope, reader(index[1] as string));
  return byDynamicName(scope.compile.text(text, offset, scope), (name) => {
    try {
      return hasFunction(name) || name === "" ? reader(name) : compileDotted(name, offset, scope, reader);
    } catch (fault) {
      if (isCompileError(fault)) return reader(name);
      throw fault;
    }
  });
}

function byDynamicName(name: Expression, reader: Reader): Expression {
  const find = memoize(reader);
  return (exchange) => find(asText(name(exchange)))(exchange);
}

/** A header by name; if there is none, the exchange property of that name. */
export function headerReader(name: string): Expression {
  const key = name.toLowerCase();
  return (exchange) => exchange.message.headers.getKey(key) ?? exchange.property(name) ?? null;
}

export function propertyReader(name: string): Expression {
  if (name === "CamelExceptionCaught") return (exchange) => exchange.property(name) ?? exchange.caught ?? null;
  return (exchange) => exchange.property(name) ?? null;
}

/** Variables of the exchange, or of the runtime when the name has a scope prefix (`global:x`, `route:id:x`). */
export function variableReader(scope: SimpleScope): Reader {
  return (name) => {
    const storage = variableStorage(name);
    if (storage.shared) return () => scope.language.host.globals.get(storage.key) ?? null;
    return (exchange) => exchange.variable(storage.key) ?? null;
  };
}

/** Where a variable is stored: in the exchange or, if `shared`, in the runtime; `key` is its name there. */
export function variableStorage(name: string): { readonly shared: boolean; readonly key: string } {
  const colon = name.indexOf(":");
  const repository = name.slice(0, Math.max(0, colon));
  if (colon < 0 || repository === "header") return { shared: false, key: name };
  if (repository === "exchange") return { shared: false, key: name.slice(colon + 1) };
  if (repository === "global") return { shared: true, key: name.slice(colon + 1) };
  if (repository === "route" && name.includes(":", colon + 1)) return { shared: true, key: name };
  throw new FlowError("java.lang.IllegalArgumentException", `variable '${name}' has an unknown scope: use global:name or route:<routeId>:name`, {
    code: "variable-scope",
  });
}

/** Sets a variable; null removes it. */
export function storeVariable(exchange: Exchange, scope: SimpleScope, name: string, value: unknown): void {
  const { shared, key } = variableStorage(name);
  if (!shared && value !== null && value !== undefined) exchange.setVariable(key, value);
  else if (!shared) exchange.variables?.delete(key);
  else if (value === null || value === undefined) scope.language.host.globals.delete(key);
  else scope.language.host.globals.set(key, value);
}

const allHeaders: Expression = (exchange) => ({ ...exchange.message.headers.toObject() });
const allVariables: Expression = (exchange) => Object.fromEntries(exchange.variables ?? []);
