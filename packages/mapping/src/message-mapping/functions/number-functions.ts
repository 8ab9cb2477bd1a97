// Functions of numbers, and the sums and extremes of lists. Text that reads as a number is one; null counts for nothing.
import { compareValues } from "@sluice/engine/spi";
import { shown } from "../../problem.ts";
import { compileNumberPattern, formatNumber } from "../number-format.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, roundTo, scalarOf, toList, toNumber, toText } from "../values.ts";
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
  round: ofNumber(1, 2, (number, digits) => roundTo(number, toNumber(digits) ?? 0)),
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
  parseNumber: define(1, 2, (value, decimalMark) => (isNothing(value) ? null : parseNumber(toText(value), isNothing(decimalMark) ? "." : toText(decimalMark)))),
  isNumber: define(1, 1, (value) => {
    const plain = scalarOf(value);
    return typeof plain === "number" || (typeof plain === "string" && /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/.test(plain));
  }),
  sum: define(1, 100, (...values) => numbersOf(values).reduce((total, number) => total + number, 0)),
  avg: define(1, 100, (...values) => {
    const numbers = numbersOf(values);
    return numbers.length === 0 ? null : numbers.reduce((total, number) => total + number, 0) / numbers.length;
  }),
  min: define(1, 100, (...values) => extreme(values, -1)),
  max: define(1, 100, (...values) => extreme(values, 1)),
};

function numbersOf(values: readonly unknown[]): readonly number[] {
  const list = values.length === 1 ? toList(values[0]) : values.flatMap((value) => toList(value));
  const numbers: number[] = [];
  for (const item of list) {
    const number = toNumber(item);
    if (number !== null) numbers.push(number);
  }
  return numbers;
}

/** The least or greatest by the order of the language: numbers as numbers, the rest as text. */
function extreme(values: readonly unknown[], sign: number): unknown {
  let best: unknown = null;
  for (const item of values.flatMap((value) => toList(value))) {
    const value = scalarOf(item);
    if (isNothing(value)) continue;
    if (best === null || (compareValues(value, best) ?? 0) * sign > 0) best = value;
  }
  return typeof best === "string" && numberFunctions["isNumber"]?.apply(best) === true ? Number(best) : best;
}

/** Numbers as people write them: `1.234,50` with the mark `,`. */
function parseNumber(text: string, decimalMark: string): number {
  const plain = text
    .trim()
    .replaceAll(decimalMark === "," ? /[.\s'\u00a0]/g : /[,\s'\u00a0]/g, "")
    .replace(decimalMark, ".");
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(plain)) throw new MappingFault("type", `expected a number, got ${shown(text)}`, text);
  return Number(plain);
}

function finite(number: number): number {
  if (!Number.isFinite(number)) throw new MappingFault("expression", "the result is no number");
  return number;
}
