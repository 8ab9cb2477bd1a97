// Conditions that consist of a field, an operator and a value, each selected from a list.
import { mapperStrings } from "../strings/mapper.ts";
import { sampleValues, type Scalar, type SourceField } from "./mapping-fields.ts";
import { quoted } from "./rule-edits.ts";

export type ComparisonOperator = keyof typeof mapperStrings.operators;

/** The expression of each operator, from the texts of its operands. */
const operatorTexts: Readonly<Record<ComparisonOperator, (left: string, right: string) => string>> = {
  equals: (left, right) => `${left} == ${right}`,
  differs: (left, right) => `${left} != ${right}`,
  greater: (left, right) => `${left} > ${right}`,
  atLeast: (left, right) => `${left} >= ${right}`,
  less: (left, right) => `${left} < ${right}`,
  atMost: (left, right) => `${left} <= ${right}`,
  contains: (left, right) => `contains(${left}, ${right})`,
  startsWith: (left, right) => `startsWith(${left}, ${right})`,
  exists: (left) => `exists(${left})`,
  missing: (left) => `not(exists(${left}))`,
};

export const comparisonOperators = Object.keys(operatorTexts) as readonly ComparisonOperator[];

/** False for operators that test the field alone. */
export const comparesWithValue = (operator: ComparisonOperator): boolean => operator !== "exists" && operator !== "missing";

export const comparisonText = (field: string, operator: ComparisonOperator, operand: string): string => operatorTexts[operator](field, operand);

export const literalText = (value: Scalar): string => (typeof value === "string" ? quoted(value) : String(value));

/** User input as a literal: numbers, true and false as they are, anything else as quoted text. */
export const typedLiteral = (text: string): string => (/^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text.trim()) ? text.trim() : quoted(text));

export type ConditionJoin = keyof typeof mapperStrings.joins;

/** Combines a condition with the existing one. */
export function joinConditions(existing: string, added: string, join: ConditionJoin): string {
  if (join === "replace" || existing.trim() === "") return added;
  const isMixed = join === "and" ? /\bor\b|\|\|/.test(existing) : false;
  return `${isMixed ? `(${existing})` : existing} ${join} ${added}`;
}

/** Suggested values to compare a field with: those of the sample, and powers of ten up to the next larger one. */
export function comparisonValues(sample: string, field: SourceField): { readonly sampled: readonly string[]; readonly round: readonly string[] } {
  const values = sampleValues(sample, field.path);
  const numbers = values.filter((value) => typeof value === "number");
  const sampled = values.map(literalText);
  if (numbers.length === 0) return { sampled, round: [] };
  const powers = Array.from({ length: Math.max(1, String(Math.trunc(Math.max(...numbers.map(Math.abs)))).length) + 1 }, (_, power) => String(10 ** power));
  return { sampled, round: ["0", ...powers].filter((number) => !sampled.includes(number)) };
}
