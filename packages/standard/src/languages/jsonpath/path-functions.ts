import { FlowError } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { isObject, memberNames } from "./json-access.ts";

type PathFunction = (value: unknown, args: readonly unknown[]) => unknown;

/** The functions at the end of a path. `value` is the result of the path before the function: one value, or a list when the path branches. */
export const pathFunctions: Readonly<Record<string, PathFunction>> = {
  length: sizeOf,
  size: sizeOf,
  min: (value, args) => numbersOf("min", value, args).reduce((smallest, number) => Math.min(smallest, number)),
  max: (value, args) => numbersOf("max", value, args).reduce((largest, number) => Math.max(largest, number)),
  sum: (value, args) => sum(numbersOf("sum", value, args)),
  avg: (value, args) => average(numbersOf("avg", value, args)),
  stddev: (value, args) => deviation(numbersOf("stddev", value, args)),
  concat: (value, args) => [...asList(value), ...args.flatMap(asList)].map(asText).join(""),
  keys: (value) => (isObject(value) ? memberNames(value) : null),
  first: (value) => itemAt(value, 0),
  last: (value) => itemAt(value, -1),
  index: (value, args) => itemAt(value, typeof args[0] === "number" ? args[0] : 0),
  append: (value, args) => (Array.isArray(value) ? [...(value as unknown[]), ...args] : value),
};

function sizeOf(value: unknown): unknown {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isObject(value) ? memberNames(value).length : null;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : isObject(value) ? [] : [value];
}

function numbersOf(name: string, value: unknown, args: readonly unknown[]): number[] {
  const numbers = [...asList(value), ...args.flatMap(asList)].filter((item) => typeof item === "number");
  if (numbers.length === 0)
    throw new FlowError("org.apache.camel.ExpressionEvaluationException", `jsonpath function ${name}() found no numbers`, {
      code: "jsonpath-function",
    });
  return numbers;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function average(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}

function deviation(numbers: readonly number[]): number {
  const mean = average(numbers);
  return Math.sqrt(sum(numbers.map((number) => (number - mean) ** 2)) / numbers.length);
}

function itemAt(value: unknown, index: number): unknown {
  if (!Array.isArray(value)) return null;
  return (value as unknown[]).at(index) ?? null;
}
