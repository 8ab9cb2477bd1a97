import { flowDifference, type FlowDifference } from "@sluice/model";
import { expect, test } from "vitest";
import { marksOf } from "./marks-of.ts";

const flow = (steps: string): string => `- route:\n    id: a\n    from:\n      uri: webhook\n      steps: [${steps}]\n`;

test("changed cards are marked by path; removed steps are listed by their position in the current list, without their inner steps", () => {
  const before = flow("{log: one}, {filter: {simple: x, steps: [{log: inner}]}}, {setBody: {constant: y}}");
  const { cards, removed } = marksOf(flowDifference(before, flow("{log: one}, {setBody: {constant: z}}, {stop: {}}"), "a") as FlowDifference);
  expect([...cards]).toEqual([
    ["0/route/from/steps/1", { kind: "changed", text: "constant y → z" }],
    ["0/route/from/steps/2", { kind: "added", text: "" }],
  ]);
  expect([...removed].map(([key, steps]) => [key, steps.map(({ name }) => name)])).toEqual([["0/route/from/steps:1", ["filter"]]]);
});
