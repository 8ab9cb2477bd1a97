// Groovy's operators for the values of a message: numbers, text, lists, maps, dates and null.
import { FlowError } from "@sluice/engine/spi";
import { asText, compareText, strictEquals } from "@sluice/engine/values";
import { compileLinearPattern } from "../language-values/linear-pattern.ts";
import { isMap, keysOf, sizeOf, valueAt } from "./groovy-maps.ts";
import { spendWork, workOf } from "./groovy-work.ts";

export const fault = (type: string, message: string): FlowError => new FlowError(type, message, { code: "groovy-failed" });

/** Groovy's truth: null, zero, and empty text, lists and maps are false. */
export function truth(value: unknown): boolean {
  if (value === null || value === undefined) return false;
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  if (typeof value === "bigint") return value !== 0n;
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  return isMap(value) ? sizeOf(value) > 0 : true;
}

/** The text of a value inside `"${…}"`: lists and maps as Groovy writes them. */
export function groovyText(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return "null";
  if (depth > 50) return "…";
  if (typeof value === "object") spendWork(workOf(value));
  if (Array.isArray(value)) return `[${value.map((item) => groovyText(item, depth + 1)).join(", ")}]`;
  if (!isMap(value)) return asText(value);
  const keys = keysOf(value);
  return keys.length === 0 ? "[:]" : `[${keys.map((key) => `${key}:${groovyText(valueAt(value, key), depth + 1)}`).join(", ")}]`;
}

export function equal(left: unknown, right: unknown): boolean {
  if (left === null || left === undefined) return right === null || right === undefined;
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right);
  // Comparing members takes several times as long as iterating over them.
  if (typeof left === "object" && typeof right === "object") spendWork(4 * workOf(left));
  return strictEquals(left, right);
}

/** Negative, zero or positive, like `<=>`; null sorts first. */
export function compare(left: unknown, right: unknown): number {
  if (left === null || left === undefined) return right === null || right === undefined ? 0 : -1;
  if (right === null || right === undefined) return 1;
  if (isNumber(left) && isNumber(right)) return Math.sign(Number(left) - Number(right));
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  if (left instanceof Date && right instanceof Date) return Math.sign(left.getTime() - right.getTime());
  throw fault("java.lang.IllegalArgumentException", `groovy cannot compare ${typeName(left)} with ${typeName(right)}`);
}

export function add(left: unknown, right: unknown): unknown {
  if (isNumber(left) && isNumber(right)) return arithmetic("+", left, right);
  if (typeof left === "object") spendWork(workOf(left) + workOf(right));
  if (Array.isArray(left)) return Array.isArray(right) ? [...left, ...right] : [...left, right];
  if (isMap(left) && isMap(right)) return new Map([...entriesOf(left), ...entriesOf(right)]);
  if (typeof left === "string" || typeof right === "string") return `${groovyText(left)}${groovyText(right)}`;
  throw noOperator("plus", left, right);
}

export function subtract(left: unknown, right: unknown): unknown {
  if (isNumber(left) && isNumber(right)) return arithmetic("-", left, right);
  if (Array.isArray(left)) return left.filter((item) => !(Array.isArray(right) ? contains(right, item) : equal(item, right)));
  if (typeof left === "string") return left.replace(groovyText(right), "");
  throw noOperator("minus", left, right);
}

const maxRepeatedLength = 1_000_000;

export function multiply(left: unknown, right: unknown): unknown {
  if (isNumber(left) && isNumber(right)) return arithmetic("*", left, right);
  if ((typeof left === "string" || Array.isArray(left)) && isNumber(right)) {
    if (left.length === 0) return left;
    const times = Math.max(0, Math.trunc(Number(right)));
    if (left.length * times > maxRepeatedLength)
      throw fault(
        "java.lang.IllegalArgumentException",
        `groovy: the repeated value is longer than ${maxRepeatedLength} ${typeof left === "string" ? "characters" : "items"}`,
      );
    return typeof left === "string" ? left.repeat(times) : Array.from({ length: times }, () => left).flat();
  }
  throw noOperator("multiply", left, right);
}

/** Integers divide to decimals, with ten digits for repeating results, as BigDecimal does in Groovy. */
export function divide(left: unknown, right: unknown): unknown {
  if (!isNumber(left) || !isNumber(right)) throw noOperator("div", left, right);
  if (Number(right) === 0) throw fault("java.lang.ArithmeticException", "Division by zero");
  const exact = Number(left) / Number(right);
  return Number.isInteger(exact) ? exact : Number(exact.toFixed(10));
}

export function remainder(left: unknown, right: unknown): unknown {
  if (!isNumber(left) || !isNumber(right)) throw noOperator("mod", left, right);
  if (Number(right) === 0) throw fault("java.lang.ArithmeticException", "Division by zero");
  return arithmetic("%", left, right);
}

export function power(left: unknown, right: unknown): unknown {
  if (!isNumber(left) || !isNumber(right)) throw noOperator("power", left, right);
  return Number(left) ** Number(right);
}

/** Large integers stay exact; with a decimal operand the result is a decimal. */
function arithmetic(operator: "+" | "-" | "*" | "%", left: number | bigint, right: number | bigint): number | bigint {
  if (typeof left === "bigint" || typeof right === "bigint") {
    if (Number.isInteger(Number(left)) && Number.isInteger(Number(right))) {
      const [leftInteger, rightInteger] = [BigInt(left), BigInt(right)];
      return operator === "+"
        ? leftInteger + rightInteger
        : operator === "-"
          ? leftInteger - rightInteger
          : operator === "*"
            ? leftInteger * rightInteger
            : leftInteger % rightInteger;
    }
    return arithmetic(operator, Number(left), Number(right));
  }
  const result = operator === "+" ? left + right : operator === "-" ? left - right : operator === "*" ? left * right : left % right;
  // Decimals are BigDecimal in Groovy: 0.1 + 0.2 is 0.3 there.
  return Number.isInteger(result) ? result : Number(result.toPrecision(15));
}

export function contains(container: unknown, value: unknown): boolean {
  if (container === null || container === undefined) return false;
  spendWork(workOf(container));
  if (Array.isArray(container)) return container.some((item) => equal(item, value));
  if (isMap(container)) return keysOf(container).includes(groovyText(value));
  return typeof container === "string" && container.includes(groovyText(value));
}

/** Compiles a pattern and counts the work of matching it: two units per character. */
export function patternFor(subject: string, pattern: unknown): ReturnType<typeof compileLinearPattern> {
  spendWork(subject.length * 2);
  return compileLinearPattern(groovyText(pattern));
}

export function matchesWhole(value: unknown, pattern: unknown): boolean {
  const text = groovyText(value);
  return patternFor(text, pattern).matches(text);
}

export function findsIn(value: unknown, pattern: unknown): boolean {
  const text = groovyText(value);
  return patternFor(text, pattern).test(text);
}

const maxRangeLength = 100_000;

export function range(from: unknown, to: unknown): readonly unknown[] {
  if (!isNumber(from) || !isNumber(to)) throw noOperator("range", from, to);
  const [start, end] = [Number(from), Number(to)];
  const length = Math.abs(Math.trunc(end) - Math.trunc(start)) + 1;
  if (length > maxRangeLength) throw fault("java.lang.IllegalArgumentException", `groovy: a range may have at most ${maxRangeLength} values`);
  return Array.from({ length }, (_, index) => (end >= start ? start + index : start - index));
}

export const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

export function entriesOf(map: unknown): readonly (readonly [string, unknown])[] {
  return keysOf(map).map((key) => [key, valueAt(map, key)] as const);
}

/** The Java name of a value's type, for messages and `instanceof`. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return "String";
  if (typeof value === "boolean") return "Boolean";
  if (typeof value === "bigint") return "Long";
  if (typeof value === "number") return Number.isInteger(value) ? "Integer" : "BigDecimal";
  if (Array.isArray(value)) return "List";
  return value instanceof Date ? "Date" : isMap(value) ? "Map" : "Object";
}

const noOperator = (name: string, left: unknown, right: unknown): FlowError =>
  fault("groovy.lang.MissingMethodException", `groovy: ${typeName(left)} has no operator '${name}' for ${typeName(right)}`);
