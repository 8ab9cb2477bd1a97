import { CompileError } from "@sluice/engine/spi";
import { asText, compilePattern, type TextPattern } from "@sluice/engine/values";
import { absent, equalJson, isObject, memberNames } from "./json-access.ts";
import { isDefinite, type Condition, type Operand, type Path } from "./path-tree.ts";
import { readText, type Walk } from "./path-walk.ts";

export type Test = (node: unknown, walk: Walk) => boolean;
/** Compiles the paths inside a filter; passed in because paths contain filters and filters contain paths. */
type CompilePath = (path: Path) => Read;
type Read = (node: unknown, walk: Walk) => unknown;

export function compileCondition(condition: Condition, compilePath: CompilePath): Test {
  if (condition.kind === "not") {
    const of = compileCondition(condition.of, compilePath);
    return (node, walk) => !of(node, walk);
  }
  if (condition.kind === "exists") return compileExists(condition.operand, compilePath);
  if (condition.kind === "both" || condition.kind === "either") {
    const first = compileCondition(condition.first, compilePath);
    const second = compileCondition(condition.second, compilePath);
    return condition.kind === "both" ? (node, walk) => first(node, walk) && second(node, walk) : (node, walk) => first(node, walk) || second(node, walk);
  }
  const left = compileOperand(condition.left, compilePath);
  if (condition.operator === "=~") return compileMatch(left, condition.right, compilePath);
  const right = compileOperand(condition.right, compilePath);
  const compare = comparisons[condition.operator] as (left: unknown, right: unknown) => boolean;
  return (node, walk) => compare(left(node, walk), right(node, walk));
}

/** The number of comparisons in a condition. */
export function comparisonsOf(condition: Condition): number {
  if (condition.kind === "not") return comparisonsOf(condition.of);
  return condition.kind === "both" || condition.kind === "either" ? comparisonsOf(condition.first) + comparisonsOf(condition.second) : 1;
}

function compileExists(operand: Operand, compilePath: CompilePath): Test {
  const read = compileOperand(operand, compilePath);
  if (operand.kind !== "path") return (node, walk) => read(node, walk) === true;
  const branches = !isDefinite(operand.path.segments);
  return (node, walk) => {
    const value = read(node, walk);
    return branches ? (value as unknown[]).length > 0 : value !== absent;
  };
}

/** The value of an operand for a node; `absent` when its path has no match. */
export function compileOperand(operand: Operand, compilePath: CompilePath): Read {
  if (operand.kind === "literal") return () => operand.value;
  if (operand.kind === "pattern") throw new CompileError("jsonpath-syntax", "a /pattern/ is only allowed on the right of =~");
  if (operand.kind === "list") {
    const items = operand.items.map((item) => compileOperand(item, compilePath));
    return (node, walk) => items.map((item) => item(node, walk));
  }
  if (operand.kind === "text") {
    const read = readText(operand.text);
    return operand.quoted ? (_node, walk) => read(walk) : (_node, walk) => scalarOf(read(walk));
  }
  const read = compilePath(operand.path);
  const fromRoot = operand.path.root === "$";
  return (node, walk) => read(fromRoot ? walk.root : node, walk);
}

/** An unquoted `${…}` is treated as a number, boolean or null if it is one, otherwise as text. */
function scalarOf(text: string): unknown {
  return /^(true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?)$/.test(text) ? (JSON.parse(text) as unknown) : text;
}

/** A pattern must match the whole text, as in Jayway. */
function compileMatch(left: Read, right: Operand, compilePath: CompilePath): Test {
  if (right.kind === "pattern") {
    const pattern = compileFixedPattern(right.source, right.flags);
    return (node, walk) => isMatch(left(node, walk), pattern);
  }
  const source = compileOperand(right, compilePath);
  return (node, walk) => {
    const text = source(node, walk);
    return typeof text === "string" && isMatch(left(node, walk), compilePattern(text));
  };
}

function compileFixedPattern(source: string, flags: string): TextPattern {
  const inline = ["i", "m", "s"].filter((flag) => flags.includes(flag)).join("");
  try {
    return compilePattern(inline === "" ? source : `(?${inline})${source}`);
  } catch (cause) {
    throw new CompileError("jsonpath-pattern", asText(cause));
  }
}

const comparisons: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  "==": isEqual,
  "===": isStrictlyEqual,
  "!=": (left, right) => !isEqual(left, right),
  "!==": (left, right) => !isStrictlyEqual(left, right),
  "<": (left, right) => compareOrder(left, right, (order) => order < 0),
  "<=": (left, right) => compareOrder(left, right, (order) => order <= 0),
  ">": (left, right) => compareOrder(left, right, (order) => order > 0),
  ">=": (left, right) => compareOrder(left, right, (order) => order >= 0),
  in: (left, right) => includesValue(right, left),
  nin: (left, right) => !includesValue(right, left),
  subsetof: (left, right) => Array.isArray(left) && Array.isArray(right) && left.every((item) => includesValue(right, item)),
  anyof: (left, right) => Array.isArray(left) && left.some((item) => includesValue(right, item)),
  noneof: (left, right) => Array.isArray(left) && !left.some((item) => includesValue(right, item)),
  all: (left, right) => Array.isArray(left) && Array.isArray(right) && right.every((item) => includesValue(left, item)),
  size: (left, right) => (typeof left === "string" || Array.isArray(left)) && left.length === Number(right),
  empty: (left, right) => isEmptyValue(left) === right,
  contains: (left, right) => (typeof left === "string" ? right !== absent && left.includes(asText(right)) : includesValue(left, right)),
};

/** Numbers and strings with the same spelling are equal, as in Jayway: 5 == '5'. */
function isEqual(left: unknown, right: unknown): boolean {
  if (left === absent || right === absent) return left === right;
  if (typeof left === "number" && typeof right === "string") return right.trim() !== "" && left === Number(right);
  if (typeof left === "string" && typeof right === "number") return left === String(right);
  return equalJson(left, right);
}

function isStrictlyEqual(left: unknown, right: unknown): boolean {
  return typeof left === typeof right && isEqual(left, right);
}

function compareOrder(left: unknown, right: unknown, accept: (order: number) => boolean): boolean {
  if (typeof left === "number" && typeof right === "number") return accept(left - right);
  if (typeof left === "string" && typeof right === "string") return accept(left < right ? -1 : left > right ? 1 : 0);
  return false;
}

function isMatch(left: unknown, pattern: TextPattern): boolean {
  if (left === absent || left === null) return false;
  if (Array.isArray(left)) return left.some((item) => typeof item === "string" && pattern.matches(item));
  return typeof left === "object" ? false : pattern.matches(asText(left));
}

function includesValue(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && value !== absent && list.some((item) => isEqual(item, value));
}

function isEmptyValue(value: unknown): boolean | undefined {
  if (typeof value === "string" || Array.isArray(value)) return value.length === 0;
  return isObject(value) ? memberNames(value).length === 0 : undefined;
}
