import { FlowError, type Exchange, type Expression } from "@sluice/engine/spi";
import { asText, checkListLength, iterate } from "@sluice/engine/values";
import { rawArguments, single, trimmedArguments, type Argument, type Call, type SimpleFunction } from "./arguments.ts";
import { toDouble, toInteger, toLong } from "./conversions.ts";

const ofNumber =
  (compute: (value: number) => number, read: (value: unknown) => number | null): SimpleFunction =>
  (call) => {
    const value = single(call);
    return (exchange) => {
      const number = read(value(exchange));
      return number === null ? null : compute(number) + 0;
    };
  };

export const numberFunctions: Readonly<Record<string, SimpleFunction>> = {
  abs: ofNumber(Math.abs, toLong),
  floor: ofNumber(Math.floor, toDouble),
  ceil: ofNumber(Math.ceil, toDouble),
  sum: foldFunction((numbers) => numbers.reduce((sum, number) => sum + number, 0)),
  max: foldFunction((numbers) => numbers.reduce((best, number) => (number > best ? number : best))),
  min: foldFunction((numbers) => numbers.reduce((best, number) => (number < best ? number : best))),
  average: foldFunction((numbers) => Math.trunc(numbers.reduce((sum, number) => sum + number, 0) / numbers.length) + 0),
  random,
  range,
};

/** A function of the integers of all arguments; null when there are none. */
function foldFunction(fold: (numbers: readonly number[]) => number): SimpleFunction {
  return (call) => {
    const values = trimmedArguments(call).map((argument) => call.value(argument));
    return (exchange) => {
      const numbers: number[] = [];
      for (const value of values) for (const item of iterate(value(exchange))) addInteger(item, numbers);
      return numbers.length === 0 ? null : fold(numbers);
    };
  };
}

function addInteger(item: unknown, numbers: number[]): void {
  if (typeof item === "number") numbers.push(Math.trunc(item));
  else if (typeof item === "string" && /^[+-]?\d+$/.test(item)) numbers.push(Number(item));
}

function limits(call: Call): readonly [Expression | undefined, Expression] {
  const args = rawArguments(call);
  if (args.length < 1 || args.length > 2)
    throw call.fault(`${call.name} takes one or two integers`, `write \${${call.name}(max)} or \${${call.name}(min,max)}`);
  const last = call.value(args[args.length - 1] as Argument);
  return [args.length === 2 ? call.value(args[0] as Argument) : undefined, last];
}

function integerOf(call: Call, value: Expression, exchange: Exchange): number {
  const raw = value(exchange);
  const number = toInteger(typeof raw === "string" ? raw.trim() : raw);
  if (number === null)
    throw new FlowError("java.lang.IllegalArgumentException", `${call.name} needs integers, got '${asText(raw)}'`, { code: "simple-argument" });
  return number;
}

function random(call: Call): Expression {
  const [low, high] = limits(call);
  const { host } = call.scope.language;
  return (exchange) => {
    const min = low === undefined ? 0 : integerOf(call, low, exchange);
    const max = integerOf(call, high, exchange);
    if (max <= min)
      throw new FlowError("java.lang.IllegalArgumentException", `random needs a maximum above the minimum, got ${min} and ${max}`, { code: "simple-argument" });
    return min + Math.floor(host.random() * (max - min));
  };
}

function range(call: Call): Expression {
  const [low, high] = limits(call);
  return (exchange) => {
    const min = low === undefined ? 1 : integerOf(call, low, exchange);
    const max = integerOf(call, high, exchange);
    if (min < 0 || min >= max) return null;
    checkListLength(max - min);
    return Array.from({ length: max - min }, (_, index) => min + index);
  };
}
