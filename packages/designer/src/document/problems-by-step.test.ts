import { expect, test } from "vitest";
import { openFlow } from "./open-flow.ts";
import { problemsByStep } from "./problems-by-step.ts";
import { sampleText } from "./test-flow.test-support.ts";

const at = (word: string) => {
  const before = sampleText.slice(0, sampleText.indexOf(word)).split("\n");
  return { severity: "error" as const, line: before.length, column: (before.at(-1) ?? "").length + 1, routeId: null, stepId: null, code: "x", message: word };
};

test("a problem belongs to the innermost step around it, or to the trigger", () => {
  const found = problemsByStep(openFlow("orders", sampleText, undefined), [at("first"), at("mock:b"), at("direct:orders"), at("done")]);
  expect([...found].map(([key, problems]) => [key, problems.map(({ message }) => message)])).toEqual([
    ["0/route/from/steps/1/choice/when/0/steps/0", ["first"]],
    ["0/route/from/steps/1/choice/otherwise/steps/0", ["mock:b"]],
    ["0/route/from", ["direct:orders"]],
    ["0/route/from/steps/2", ["done"]],
  ]);
});

test("problems are not assigned to steps while the outline is out of date", () => {
  const broken = openFlow("orders", "a: [", undefined);
  expect(problemsByStep(broken, [at("first")]).size).toBe(0);
});
