// Operators on values. The common case of two numbers is handled in the compiled closure.
import { boundedText, checkTextLength } from "@sluice/engine/values";
import { MappingFault } from "../mapping-fault.ts";
import { areEqual, compare, isNothing, scalarOf, toList, toNumber, toText } from "../values.ts";

export type BinaryOperation = (left: unknown, right: unknown) => unknown;

/** Concatenates when one side is text, else adds; null plus a number is null. */
function add(left: unknown, right: unknown): unknown {
  const leftScalar = scalarOf(left);
  const rightScalar = scalarOf(right);
  if (typeof leftScalar === "string" || typeof rightScalar === "string") {
    const [leftText, rightText] = [toText(leftScalar), toText(rightScalar)];
    checkTextLength(leftText.length + rightText.length);
    return boundedText(leftText + rightText);
  }
  return arithmetic((a, b) => a + b)(left, right);
}

function arithmetic(calculate: (left: number, right: number) => number): BinaryOperation {
  return (left, right) => {
    const leftNumber = toNumber(left);
    const rightNumber = toNumber(right);
    return leftNumber === null || rightNumber === null ? null : calculate(leftNumber, rightNumber);
  };
}

function divide(left: number, right: number): number {
  if (right === 0) throw new MappingFault("expression", "division by zero");
  return left / right;
}

function remainder(left: number, right: number): number {
  if (right === 0) throw new MappingFault("expression", "division by zero");
  return left % right;
}

const order =
  (decide: (sign: number) => boolean): BinaryOperation =>
  (left, right) => {
    const sign = compare(left, right);
    return sign !== undefined && decide(sign);
  };

export const binaryOperations: Readonly<Record<string, BinaryOperation>> = {
  "+": add,
  "-": arithmetic((a, b) => a - b),
  "*": arithmetic((a, b) => a * b),
  "/": arithmetic(divide),
  "%": arithmetic(remainder),
  "==": areEqual,
  "!=": (left, right) => !areEqual(left, right),
  "<": order((sign) => sign < 0),
  "<=": order((sign) => sign <= 0),
  ">": order((sign) => sign > 0),
  ">=": order((sign) => sign >= 0),
  in: (left, right) => !isNothing(right) && toList(right).some((item) => areEqual(left, item)),
};
