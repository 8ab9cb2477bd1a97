// A complete text: its init block, then the template or predicate after it.
import { type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { parseInitBlock, type InitStatement } from "../parse/init-block.ts";
import { hasFunction, isQuote, openingAt, syntaxError } from "../parse/scan.ts";
import { unquoted } from "../functions/arguments.ts";
import { storeVariable } from "./access.ts";
import { compileCall } from "./call.ts";
import { compileNode, compilePredicateText, compileText } from "./node.ts";
import { atCompile, type SimpleScope } from "./scope.ts";

const compilers = { text: compileText, predicate: compilePredicateText, call: compileCall, node: compileNode };

export function compileProgram(source: string, language: LanguageScope): Expression {
  return compileWith(source, language, compileText);
}

export function compilePredicateProgram(source: string, language: LanguageScope): Expression<boolean> {
  return compileWith(source, language, compilePredicateText);
}

function compileWith<T>(source: string, language: LanguageScope, compile: (text: string, offset: number, scope: SimpleScope) => Expression<T>): Expression<T> {
  const custom = new Map<string, Expression>();
  const scope: SimpleScope = { compile: compilers, language, custom, depth: 0, piped: false };
  const block = parseInitBlock(source);
  if (block === undefined) return compile(source, 0, scope);
  const setters: ((exchange: Exchange) => void)[] = [];
  for (const statement of block.statements) {
    const value = compileStatement(statement, scope);
    if (statement.kind === "function") custom.set(statement.name, value);
    else setters.push((exchange) => storeVariable(exchange, scope, statement.name, value(exchange)));
  }
  const rest = compile(block.rest, source.length - block.rest.length, scope);
  return (exchange) => {
    for (const set of setters) set(exchange);
    return rest(exchange);
  };
}

function compileStatement({ value, offset, kind, name }: InitStatement, scope: SimpleScope): Expression {
  if (openingAt(value, 0) > 0) return atCompile(offset, () => compileText(value, offset, scope));
  if (kind === "function") throw syntaxError(`$${name} must consist of functions such as \${trim()} ~> \${uppercase()}`, offset);
  if (isQuote(value[0]) && value.length > 1 && value.endsWith(value[0] as string)) {
    const text = unquoted(value);
    return hasFunction(text) ? compileText(text, offset + 1, scope) : () => text;
  }
  if (/^-?\d+(\.\d+)?$/.test(value)) return () => Number(value);
  if (value === "true" || value === "false") return () => value === "true";
  throw syntaxError(`'${value.slice(0, 30)}' is not a valid value for $${name}: use a function, quoted text, a number, true or false`, offset);
}
