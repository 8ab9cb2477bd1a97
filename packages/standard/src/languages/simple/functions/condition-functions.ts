import { FlowError, type Expression } from "@sluice/engine/spi";
import { isKnownExceptionType } from "@sluice/engine/tools";
import { asText, isMap, isTrue, sizeOfMap } from "@sluice/engine/values";
import { containsIgnoringCase } from "../compile/comparison.ts";
import {
  expectCount,
  orBody,
  rawArguments,
  single,
  unquoted,
  unquotedArguments,
  untrimmedArguments,
  type Argument,
  type Call,
  type SimpleFunction,
} from "./arguments.ts";

const isNull = (value: unknown): value is null | undefined => value === null || value === undefined;

const allMatch =
  (pattern: RegExp): SimpleFunction =>
  (call) => {
    const value = single(call);
    return (exchange) => {
      const raw = value(exchange);
      return !isNull(raw) && pattern.test(asText(raw));
    };
  };

export const conditionFunctions: Readonly<Record<string, SimpleFunction>> = {
  iif(call) {
    const args = rawArguments(call);
    expectCount(call, args, 3, 3, "iif(predicate,yes,no)");
    const test = call.test(args[0] as Argument);
    const yes = call.value(args[1] as Argument);
    const no = call.value(args[2] as Argument);
    return (exchange) => (test(exchange) ? yes(exchange) : no(exchange));
  },
  not(call) {
    if (call.text.trim() === "") return (exchange) => !isTrue(exchange.message.body);
    const test = call.test({ text: call.text, offset: call.offset });
    return (exchange) => !test(exchange);
  },
  assert(call) {
    const args = rawArguments(call);
    expectCount(call, args, 2, 2, "assert(predicate,message)");
    const test = call.test(args[0] as Argument);
    const message = call.value({ text: unquoted((args[1] as Argument).text), offset: (args[1] as Argument).offset });
    return (exchange) => {
      if (test(exchange)) return null;
      throw new FlowError("org.apache.camel.ExpressionEvaluationException", asText(message(exchange)), { code: "simple-assert" });
    };
  },
  contains(call) {
    const args = untrimmedArguments(call);
    expectCount(call, args, 1, 2, "contains(value,text)");
    const value = orBody(call, args.length === 2 ? args[0] : undefined);
    const part = call.value(args[args.length - 1] as Argument);
    return (exchange) => containsIgnoringCase(value(exchange), part(exchange));
  },
  isEmpty(call) {
    const value = single(call);
    return (exchange) => isEmptyValue(value(exchange));
  },
  isAlpha: allMatch(/^\p{L}+$/u),
  isAlphaNumeric: allMatch(/^[\p{L}\p{Nd}]+$/u),
  isNumeric: allMatch(/^\p{Nd}+$/u),
  kindOfType(call) {
    const value = single(call);
    return (exchange) => kindOf(value(exchange));
  },
  throwException,
};

function isEmptyValue(value: unknown): boolean {
  if (isNull(value)) return true;
  if (typeof value === "string" || value instanceof Uint8Array) return asText(value).trim() === "";
  if (Array.isArray(value)) return value.every(isNull);
  return isMap(value) && sizeOfMap(value) === 0;
}

function kindOf(value: unknown): string {
  if (isNull(value)) return "null";
  if (value instanceof Uint8Array) return "string";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return typeof value;
  return Array.isArray(value) || isMap(value) ? "array" : "object";
}

function throwException(call: Call): Expression {
  const args = unquotedArguments(call);
  expectCount(call, args, 1, 2, "throwException(message,type)");
  const message = call.value(args[0] as Argument);
  const type = args[1]?.text ?? "org.apache.camel.CamelExecutionException";
  if (!isKnownExceptionType(type)) throw call.fault(`unknown exception type '${type}'`, "write its full name, such as java.lang.IllegalArgumentException");
  return (exchange) => {
    throw new FlowError(type, asText(message(exchange)), { code: "simple-thrown" });
  };
}
