// The comparison operators. A literal on the right is common, so it is prepared once instead of for every message.
import { FlowError, type Expression } from "@sluice/engine/spi";
import {
  asText,
  compareValues,
  compilePattern,
  equalsDecimal,
  findTypeTest,
  iterate,
  looseEquals,
  looseEqualsIgnoreCase,
  strictEquals,
} from "@sluice/engine/values";
import type { SimpleNode } from "../parse/ast.ts";
import { syntaxError } from "../parse/scan.ts";
import { constantOf } from "./literal.ts";
import { atCompile, type SimpleScope } from "./scope.ts";

type Comparison = Extract<SimpleNode, { readonly kind: "compare" }>;
type Relation = (left: unknown, right: unknown) => boolean;

const isNull = (value: unknown): value is null | undefined => value === null || value === undefined;

const relations: Readonly<Record<string, Relation>> = {
  "==": looseEquals,
  "=~": looseEqualsIgnoreCase,
  ">": (left, right) => (compareValues(left, right) ?? 0) > 0,
  "<": (left, right) => compareOrder(left, right, (order) => order < 0),
  ">=": (left, right) => compareOrder(left, right, (order) => order >= 0),
  "<=": (left, right) => compareOrder(left, right, (order) => order <= 0),
  contains,
  "~~": containsIgnoringCase,
  in: isIn,
  startsWith: (left, right) => textRelation(left, right, (text, part) => text.startsWith(part)),
  endsWith: (left, right) => textRelation(left, right, (text, part) => text.endsWith(part)),
  range: (left, right) => inRange(left, asText(right)),
  regex: (left, right) => !isNull(left) && compilePattern(asText(right)).matches(asText(left)),
  is: (left, right) => typeTest(asText(right))(left),
};

export function compileComparison(node: Comparison, scope: SimpleScope): Expression<boolean> {
  const left = scope.compile.node(node.left, scope);
  const literal = constantOf(node.right);
  const test =
    literal === undefined
      ? compareBoth(left, relations[node.operator] as Relation, scope.compile.node(node.right, scope))
      : compareWithLiteral(node, left, literal.value);
  return node.negated ? (exchange) => !test(exchange) : test;
}

function compareBoth(left: Expression, relation: Relation, right: Expression): Expression<boolean> {
  return (exchange) => relation(left(exchange), right(exchange));
}

function compareWithLiteral(node: Comparison, left: Expression, literal: string | number | boolean | null): Expression<boolean> {
  const bare = node.right.kind === "value";
  switch (node.operator) {
    case "==":
      return equalTo(node, left, literal);
    case "regex": {
      if (bare) throw syntaxError("the regular expression must be quoted", node.offset);
      const pattern = atCompile(node.offset, () => compilePattern(String(literal)));
      return (exchange) => {
        const value = left(exchange);
        return !isNull(value) && pattern.matches(asText(value));
      };
    }
    case "is": {
      if (bare) throw syntaxError("the type must be quoted, such as 'String'", node.offset);
      const test = atCompile(node.offset, () => typeTest(String(literal)));
      return (exchange) => test(left(exchange));
    }
    case "range":
      atCompile(node.offset, () => readRange(asText(literal)));
      break;
  }
  const relation = relations[node.operator] as Relation;
  return (exchange) => relation(left(exchange), literal);
}

function equalTo(node: Comparison, left: Expression, literal: string | number | boolean | null): Expression<boolean> {
  if (literal === null) return (exchange) => isNull(left(exchange));
  if (typeof literal === "string" && !/^-?\d+$/.test(literal)) {
    // Text that is not an integer is compared as text.
    return (exchange) => {
      const value = left(exchange);
      return value === literal || (typeof value !== "string" && looseEquals(value, literal));
    };
  }
  if (typeof literal === "number" && node.right.kind === "value" && node.right.decimals) return (exchange) => equalsDecimal(left(exchange), literal);
  return (exchange) => {
    const value = left(exchange);
    return value === literal || looseEquals(value, literal);
  };
}

function compareOrder(left: unknown, right: unknown, holds: (order: number) => boolean): boolean {
  const order = compareValues(left, right);
  return order === undefined ? isNull(left) && isNull(right) : holds(order);
}

function contains(left: unknown, right: unknown): boolean {
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right);
  if (typeof left === "string" || left instanceof Uint8Array) return asText(left).includes(asText(right));
  if (Array.isArray(left)) return left.some((item) => strictEquals(item, right));
  return looseEquals(left, right);
}

/** Whether a string contains a part, or a list contains an element, case-insensitively. */
export function containsIgnoringCase(left: unknown, right: unknown): boolean {
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right);
  const part = asText(right).toLowerCase();
  if (Array.isArray(left)) return left.some((item) => asText(item).toLowerCase().includes(part));
  if (typeof left === "string" || left instanceof Uint8Array) return asText(left).toLowerCase().includes(part);
  return looseEqualsIgnoreCase(left, right);
}

function isIn(left: unknown, right: unknown): boolean {
  if (isNull(left) || isNull(right)) return false;
  const source = Array.isArray(right) || right instanceof Set ? right : asText(right);
  return iterate(source).some((item) => looseEquals(left, item));
}

function textRelation(left: unknown, right: unknown, holds: (text: string, part: string) => boolean): boolean {
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right);
  return holds(asText(left), asText(right));
}

function readRange(text: string): readonly [number, number] {
  const match = /^(\d+)\.\.(\d+)$/.exec(text);
  if (match === null)
    throw new FlowError("org.apache.camel.ExpressionIllegalSyntaxException", `range needs two integers such as '100..199', got '${text.slice(0, 60)}'`, {
      code: "simple-range",
    });
  return [Number(match[1]), Number(match[2])];
}

function inRange(left: unknown, right: string): boolean {
  const [low, high] = readRange(right);
  if (isNull(left)) return false;
  return (compareValues(left, low) ?? -1) >= 0 && (compareValues(left, high) ?? 1) <= 0;
}

function typeTest(name: string): (value: unknown) => boolean {
  const test = findTypeTest(name);
  if (test === undefined)
    throw new FlowError(
      "java.lang.ClassNotFoundException",
      `unknown type '${name}' for 'is': use String, Integer, Long, Double, Boolean, java.util.List or java.util.Map`,
      {
        code: "simple-unknown-type",
      },
    );
  return test;
}
