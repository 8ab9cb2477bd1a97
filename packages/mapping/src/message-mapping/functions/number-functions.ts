// Number functions, and sums and extremes of lists. Numeric text counts as a number; null is ignored.
import { formatValue } from "../../problem.ts";
import { compileNumberPattern, formatNumber } from "../number-format.ts";
import { MappingFault } from "../mapping-fault.ts";
import { compare, finite, isNothing, numberIn, roundTo, scalarOf, toList, toNumber, toText } from "../values.ts";
import { define, withPattern, type LanguageFunction, type LanguageFunctions } from "./language-function.ts";

function ofNumber(min: number, max: number, apply: (number: number, ...more: any[]) => unknown): LanguageFunction {
  return define(min, max, (value, ...more) => {
    const number = toNumber(value);
    return number === null ? null : apply(number, ...more);
  });
}

export const numberFunctions: LanguageFunctions = {
  number: define(1, 1, toNumber),
  integer: ofNumber(1, 1, (number) => Math.trunc(number) + 0),
  round: ofNumber(1, 2, (number, digits) => roundTo(number, Math.trunc(toNumber(digits) ?? 0))),
  floor: ofNumber(1, 1, Math.floor),
  ceil: ofNumber(1, 1, Math.ceil),
  abs: ofNumber(1, 1, Math.abs),
  sign: ofNumber(1, 1, Math.sign),
  power: ofNumber(2, 2, (number, exponent) => finite(number ** (toNumber(exponent) ?? 1))),
  sqrt: ofNumber(1, 1, (number) => finite(Math.sqrt(number))),
  formatNumber: withPattern(
    ofNumber(2, 2, (number, pattern) => formatNumber(number, toText(pattern))),
    compileNumberPattern,
  ),
  parseNumber: define(1, 2, (argument, decimalMark) => {
    const value = scalarOf(argument);
    if (isNothing(value) || value === "") return null;
    return typeof value === "number" ? value : parseNumber(toText(value), isNothing(decimalMark) ? "." : toText(decimalMark));
  }),
  isNumber: define(1, 1, (argument) => {
    const value = scalarOf(argument);
    return typeof value === "number" || typeof value === "bigint" || (typeof value === "string" && numberIn(value) !== undefined);
  }),
  sum: define(1, 100, (...values) => totalOf(numbersOf(values))),
  avg: define(1, 100, (...values) => {
    const numbers = numbersOf(values);
    return numbers.length === 0 ? null : totalOf(numbers) / numbers.length;
  }),
  min: define(1, 100, (...values) => extreme(values, -1)),
  max: define(1, 100, (...values) => extreme(values, 1)),
};

const totalOf = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function numbersOf(values: readonly unknown[]): readonly number[] {
  const list = values.length === 1 ? toList(values[0]) : values.flatMap((value) => toList(value));
  const numbers: number[] = [];
  for (const item of list) {
    const number = toNumber(item);
    if (number !== null) numbers.push(number);
  }
  return numbers;
}

/** The minimum or maximum in the order of the language: numbers as numbers, the rest as text. */
function extreme(values: readonly unknown[], sign: number): unknown {
  let best: unknown = null;
  for (const item of values.flatMap((value) => toList(value))) {
    const value = scalarOf(item);
    if (isNothing(value)) continue;
    if (best === null || (compare(value, best) ?? 0) * sign > 0) best = value;
  }
  return typeof best === "string" ? (numberIn(best) ?? best) : best;
}

/** Parses localized numbers: `1.234,50` with the decimal mark `,`. */
function parseNumber(text: string, decimalMark: string): number {
  if (!/^[^\d\s+-]$/u.test(decimalMark))
    throw new MappingFault("type", `the decimal mark of parseNumber must be a character such as '.' or ',', got ${formatValue(decimalMark)}`, decimalMark);
  const plain = text
    .trim()
    .replaceAll(decimalMark === "," ? /[.\s'\u00a0]/g : /[,\s'\u00a0]/g, "")
    .replace(decimalMark, ".");
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(plain)) throw new MappingFault("type", `expected a number, got ${formatValue(text)}`, text);
  return Number(plain);
}
