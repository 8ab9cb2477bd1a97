// Compiles the content of a function's braces: a ternary, a call with parentheses, a prefix or a plain name.
import { CompileError, type Expression } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { closest } from "@sluice/model";
import { functions, prefixes, words } from "../functions/index.ts";
import { unquoted, type Argument, type Call } from "../functions/arguments.ts";
import { convertFunction, converters } from "../functions/conversions.ts";
import { hasFunction, isQuote, openingAt, scanTopLevel, syntaxError } from "../parse/scan.ts";
import { splitTernary, type BraceTernary, type Branch } from "../parse/ternary.ts";
import { compileAccess } from "./access.ts";
import { atCompile, innerScope, memoize, withBody, type SimpleScope } from "./scope.ts";

export function compileCall(content: string, offset: number, outer: SimpleScope): Expression {
  const scope = innerScope(outer, offset);
  const ternary = splitTernary(content, offset);
  return ternary === undefined ? compilePlain(content, offset, scope) : compileTernary(ternary, offset, scope);
}

function compileTernary(ternary: BraceTernary, offset: number, scope: SimpleScope): Expression {
  const condition = scope.compile.predicate(ternary.condition, offset, scope);
  const yes = compileBranch(ternary.yes, scope);
  const no = compileBranch(ternary.no, scope);
  return (exchange) => (condition(exchange) ? yes(exchange) : no(exchange));
}

/** A value of a ternary: quoted text, null, another ternary, a function in braces or a bare function. */
function compileBranch({ text, offset }: Branch, outer: SimpleScope): Expression {
  if (isQuote(text[0]) && text.indexOf(text[0] as string, 1) === text.length - 1) {
    const literal = unquoted(text);
    return () => literal;
  }
  if (text === "null") return () => null;
  const nested = splitTernary(text, offset);
  const scope = innerScope(outer, offset);
  if (nested !== undefined) return compileTernary(nested, offset, scope);
  return openingAt(text, 0) > 0 ? scope.compile.text(text, offset, scope) : compilePlain(text, offset, scope);
}

function compilePlain(content: string, offset: number, scope: SimpleScope): Expression {
  rejectOperators(content, offset);
  const access = atCompile(offset, () => compileAccess(content, offset, scope));
  if (access !== undefined) return access;
  const functionName = /^([A-Za-z_][\w-]*)\(/.exec(content)?.[1];
  if (functionName !== undefined && (Object.hasOwn(functions, functionName) || scope.custom.has(functionName) || Object.hasOwn(converters, functionName)))
    return compileFunction(functionName, content, offset, scope);
  const word = Object.hasOwn(words, content) ? words[content] : undefined;
  if (word !== undefined) return word(scope);
  const prefix = prefixOf(content);
  if (prefix !== undefined) return compilePrefixed(prefix, content, offset, scope);
  throw unknownFunction(content, offset, scope);
}

/** `${header.x ?: 'y'}` would otherwise be parsed as an unusual header name. */
function rejectOperators(content: string, offset: number): void {
  if (!content.includes("?: ") && !content.includes("~>")) return;
  scanTopLevel(content, offset, (at) => {
    const operator = ["?~>", "~>", " ?: "].find((sign) => content.startsWith(sign, at));
    if (operator === undefined) return false;
    throw syntaxError(`'${operator.trim()}' cannot be used inside the braces`, offset + at, "close the braces before it, as in ${header.name} ?: 'value'");
  });
}

function compileFunction(name: string, content: string, offset: number, scope: SimpleScope): Expression {
  const nameLength = name.length;
  if (Object.hasOwn(converters, name)) return convertFunction(name, content.slice(nameLength), offset + nameLength, scope);
  if (!content.endsWith(")")) throw syntaxError(`'${name}(' must end with ')' before the closing brace`, offset + content.length);
  const call = makeCall(name, content.slice(nameLength + 1, -1), offset + nameLength + 1, scope);
  const custom = scope.custom.get(name);
  return custom === undefined ? (functions[name] as (call: Call) => Expression)(call) : callCustom(call, custom);
}

function makeCall(name: string, text: string, offset: number, scope: SimpleScope): Call {
  return {
    name,
    text,
    offset,
    scope,
    value: (argument: Argument) => scope.compile.text(argument.text, argument.offset, scope),
    test: (argument: Argument) => scope.compile.predicate(argument.text, argument.offset, scope),
    fault: (message, hint) => new CompileError("simple-arguments", message, hint === undefined ? { offset } : { offset, hint }),
  };
}

function callCustom(call: Call, custom: Expression): Expression {
  if (call.text.trim() === "") return custom;
  const argument = call.value({ text: unquoted(call.text.trim()), offset: call.offset });
  return (exchange) => withBody(exchange, argument(exchange), custom);
}

function prefixOf(content: string): string | undefined {
  const end = content.search(/[:.]/);
  if (end < 0) return undefined;
  const prefix = content.slice(0, end + 1);
  return Object.hasOwn(prefixes, prefix) ? prefix : undefined;
}

/** Prefixed functions use the rest as text; if it contains functions, the text is known only at run time. */
function compilePrefixed(prefix: string, content: string, offset: number, scope: SimpleScope): Expression {
  const { compile, nested } = prefixes[prefix] as (typeof prefixes)[string];
  const rest = content.slice(prefix.length);
  const at = offset + prefix.length;
  if (nested === true || !hasFunction(rest)) return compile(rest, at, scope);
  const text = scope.compile.text(rest, at, scope);
  const find = memoize((dynamic) => compile(dynamic, at, scope));
  return (exchange) => find(asText(text(exchange)))(exchange);
}

function unknownFunction(content: string, offset: number, scope: SimpleScope): CompileError {
  const excerpt = content.length > 40 ? `${content.slice(0, 40)}…` : content;
  const name = /^[\w-]+/.exec(content.trim())?.[0] ?? "";
  const accessWords = ["body", "header", "headers", "exchangeProperty", "variable", "variables"];
  const names = [
    ...accessWords,
    ...Object.keys(functions),
    ...Object.keys(converters),
    ...Object.keys(words),
    ...Object.keys(prefixes).map((prefix) => prefix.slice(0, -1)),
    ...scope.custom.keys(),
  ];
  if (Object.hasOwn(functions, name))
    return new CompileError("simple-unknown-function", `'${excerpt}' is not valid syntax for the function ${name}`, { offset, hint: `write \${${name}(…)}` });
  const prefix = [`${name}:`, `${name}.`].find((candidate) => content === name && Object.hasOwn(prefixes, candidate));
  if (prefix !== undefined)
    return new CompileError("simple-unknown-function", `'${excerpt}' is not valid syntax for the function ${name}`, { offset, hint: `write \${${prefix}…}` });
  const suggestion = closest(name, names);
  const hint =
    content !== content.trim()
      ? "remove the spaces inside the braces"
      : suggestion === undefined
        ? "the functions are listed in the reference of the Simple language"
        : `did you mean '${suggestion}'?`;
  return new CompileError("simple-unknown-function", `unknown function '${excerpt}'`, { offset, hint });
}
