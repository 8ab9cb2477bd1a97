import { compileMapping } from "@sluice/mapping";
import { expect, test } from "vitest";
import { comparisonValues, comparisonOperators, comparisonText, joinConditions, typedLiteral } from "./comparison.ts";
import { valueChoices } from "./value-choices.ts";
import { sourceFields } from "./mapping-fields.ts";

const sample = JSON.stringify({ total: 1240.5, note: "it's", lines: [{ unit: "box" }, { unit: "piece" }, { unit: "box" }] });
const field = (path: string) => sourceFields(sample).find((candidate) => candidate.path === path)!;
const environment = { tables: () => undefined, documents: () => undefined } as never;
const problemsOf = (rule: object): unknown =>
  compileMapping({ source: { format: "json" }, target: { format: "json" }, map: [{ to: "x", value: 1, ...rule }] }, environment).problems;

test("offers each value of the sample once, and powers of ten up to the next larger one", () => {
  expect(comparisonValues(sample, field("lines[*].unit"))).toEqual({ sampled: ["'box'", "'piece'"], round: [] });
  expect(comparisonValues(sample, field("total"))).toEqual({ sampled: ["1240.5"], round: ["0", "1", "10", "100", "1000", "10000"] });
  expect(comparisonValues(sample, field("note")).sampled).toEqual(["'it\\'s'"]);
});

test("every operator and join writes a condition that compiles", () => {
  for (const operator of comparisonOperators) expect(problemsOf({ when: comparisonText("note", operator, typedLiteral("it's")) })).toEqual([]);
  const both = joinConditions(joinConditions("a == 1", "b == 2", "or"), "c == 3", "and");
  expect(both).toBe("(a == 1 or b == 2) and c == 3");
  expect(problemsOf({ when: both })).toEqual([]);
  expect(joinConditions("a == 1", "b == 2", "replace")).toBe("b == 2");
});

test("offers the value of the target sample, the position in a loop, and the typed text", () => {
  const document = { target: { sample: { items: [{ flag: "X" }] } } };
  const formulas = (isInLoop: boolean, query: string) => valueChoices(document, "items[].flag", isInLoop, query).map(({ formula }) => formula);
  expect(formulas(true, "")).toEqual(["'X'", "$index + 1", "($index + 1) * 10", "$index", "now()", "today()", "true", "false", "''"]);
  expect(formulas(false, "")).not.toContain("$index");
  expect(formulas(false, "12.5")).toEqual(["12.5"]);
  expect(formulas(false, "cash")).toEqual(["'cash'"]);
});
