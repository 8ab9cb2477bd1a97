// Conversions by type name. Their arguments end at the first closing parenthesis, so that a path may follow.
import { FlowError, type Expression } from "@sluice/engine/spi";
import { asText, compilePattern, findConversion, type Conversion } from "@sluice/engine/values";
import { headerReader, readJsonBeforeStep, variableReader, compileTail } from "../compile/access.ts";
import { atCompile, memoize, type SimpleScope } from "../compile/scope.ts";
import { endOfFunction, hasFunction, isQuote, openingAt, syntaxError } from "../parse/scan.ts";
import { separate, unquoted, type Argument } from "./arguments.ts";

type Converter = (args: readonly Argument[], offset: number, scope: SimpleScope) => Expression;

/** `bodyAs(T)` and similar functions, by name. */
export const converters: Readonly<Record<string, Converter>> = {
  bodyAs: (args, offset, scope) => bodyAs(args, offset, scope, false),
  mandatoryBodyAs: (args, offset, scope) => bodyAs(args, offset, scope, true),
  convertTo(args, offset, scope) {
    expect(args, 1, 2, offset, "convertTo(type) or convertTo(value,type)");
    const value = args.length === 1 ? body : scope.compile.text((args[0] as Argument).text, offset, scope);
    return convertValue(value, args[args.length - 1] as Argument, scope);
  },
  headerAs: (args, offset, scope) => convertNamed(args, offset, scope, headerReader, "headerAs(name,type)"),
  variableAs: (args, offset, scope) => convertNamed(args, offset, scope, variableReader(scope), "variableAs(name,type)"),
};

const body: Expression = (exchange) => exchange.message.body;

/** Compiles `(arguments)` with the path after it. */
export function convertFunction(name: string, text: string, offset: number, scope: SimpleScope): Expression {
  const close = closingParenthesis(text, offset);
  const args = separate(text.slice(1, close), offset + 1).map((argument) => ({ text: unquoted(argument.text.trim()), offset: argument.offset }));
  const value = (converters[name] as Converter)(args, offset, scope);
  const tail = text.slice(close + 1);
  if (tail !== "" && (name === "headerAs" || name === "variableAs")) throw syntaxError(`nothing may follow ${name}(…)`, offset + close + 1);
  return compileTail(tail, offset + close + 1, scope, value);
}

/** The conversion to the named type; throws a FlowError for an unknown type. */
export function conversionTo(typeName: string): Conversion {
  const conversion = findConversion(typeName);
  if (conversion === undefined)
    throw new FlowError(
      "java.lang.ClassNotFoundException",
      `unknown type '${typeName.slice(0, 80)}': use String, Integer, Long, Double, Boolean, byte[], Date, java.util.List or java.util.Map`,
      {
        code: "simple-unknown-type",
      },
    );
  return conversion;
}

function bodyAs(args: readonly Argument[], offset: number, scope: SimpleScope, mandatory: boolean): Expression {
  expect(args, 1, 1, offset, "bodyAs(type)");
  const convert = convertValue(body, args[0] as Argument, scope);
  if (!mandatory) return convert;
  return (exchange) => {
    const value = convert(exchange);
    if (value === null || value === undefined)
      throw new FlowError("org.apache.camel.InvalidPayloadException", `the body is null and cannot be converted to ${(args[0] as Argument).text}`, {
        code: "simple-no-body",
      });
    return value;
  };
}

function convertNamed(args: readonly Argument[], offset: number, scope: SimpleScope, reader: (name: string) => Expression, form: string): Expression {
  expect(args, 2, 2, offset, form);
  const [name, type] = args as [Argument, Argument];
  if (!hasFunction(name.text)) return convertValue(reader(name.text), type, scope);
  const dynamic = scope.compile.text(name.text, name.offset, scope);
  const find = memoize(reader);
  return convertValue((exchange) => find(asText(dynamic(exchange)))(exchange), type, scope);
}

function convertValue(value: Expression, type: Argument, scope: SimpleScope): Expression {
  if (value === body) readJsonBeforeStep(body, scope);
  if (!hasFunction(type.text)) {
    const convert = atCompile(type.offset, () => conversionTo(type.text));
    return (exchange) => convert(value(exchange));
  }
  const dynamic = scope.compile.text(type.text, type.offset, scope);
  const find = memoize(conversionTo);
  return (exchange) => find(asText(dynamic(exchange)))(value(exchange));
}

function expect(args: readonly Argument[], min: number, max: number, offset: number, form: string): void {
  if (args.length < min || args.length > max) throw syntaxError(`wrong number of arguments: use \${${form}}`, offset);
}

function closingParenthesis(text: string, offset: number): number {
  let quote: string | undefined;
  for (let at = 1; at < text.length; at++) {
    const char = text[at] as string;
    if (openingAt(text, at) > 0) at = endOfFunction(text, at, offset) - 1;
    else if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (isQuote(char)) quote = char;
    else if (char === ")") return at;
  }
  throw syntaxError("'(' is not closed: a ')' is missing", offset);
}

/** `int:`, `long:`, … in front of another function. */
export function typedPrefix(type: string, valueOfNull: unknown): (rest: string, offset: number, scope: SimpleScope) => Expression {
  const convert = conversionTo(type);
  return (rest, offset, scope) => {
    const value = scope.compile.call(rest, offset, scope);
    return (exchange) => {
      const raw = value(exchange);
      return raw === null || raw === undefined ? valueOfNull : convert(raw);
    };
  };
}

/** Integers for arguments: text must be an integer, numbers are truncated, null stays null. */
export function toInteger(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  return integer(value) as number;
}
export function toLong(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  return long(value) as number;
}
export function toDouble(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  return double(value) as number;
}
const integer = conversionTo("int");
const long = conversionTo("long");
const double = conversionTo("double");

/** The parts of a string between the matches of a Java regular expression. */
export function splitBy(pattern: string): (text: string) => string[] {
  const compiled = compilePattern(pattern);
  return (text) => compiled.split(text);
}
