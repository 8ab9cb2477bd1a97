import { expect, test } from "vitest";
import { bindFlow } from "../check/bind-flow.ts";
import { sampleVocabulary } from "../check/sample-vocabulary.test-support.ts";
import type { StepNode } from "../flow/flow-document.ts";
import { readTree } from "../read/read-tree.ts";
import { everyStep, outlineOf, type StepOutline } from "./flow-outline.ts";

const isStep = (value: unknown): value is StepNode => typeof value === "object" && value !== null && "id" in value && "name" in value && "options" in value;

/** The ids of all steps of the runtime, each before its inner steps. */
function idsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(isStep(value) ? [value.id] : []), ...Object.values(value).flatMap(idsOf)];
}

const isActive = (steps: readonly StepOutline[]): StepOutline[] =>
  steps.flatMap((step) => (step.disabled ? [] : [step, ...step.blocks.flatMap((block) => (block.disabled ? [] : isActive(block.steps)))]));

test.each([
  ["a disabled branch", "", "choice: {when: [{simple: a, disabled: true, steps: [{log: x}]}, {simple: b, steps: [{log: y}]}]}\n- log: z"],
  ["a disabled otherwise", "", "choice: {when: [{simple: b, steps: [{log: y}]}], otherwise: {disabled: true, steps: [{log: x}]}}\n- log: z"],
  ["the id of a disabled step", "", "log: {message: x, id: log1, disabled: true}\n- log: z"],
  ["an id that looks generated", "", "log: z\n- log: {message: x, id: log1}"],
  ["an empty id", "", "log: {message: x, id: ''}\n- log: z"],
  ["nodePrefixId", "nodePrefixId: p-, ", "log: x\n- log: {message: y, id: p-log2}\n- choice: {when: [{simple: b, steps: [{log: y}]}]}\n- log: z"],
])("generated ids are those of the runtime: %s", (_title, options, steps) => {
  const source = `- route:\n    ${options.replace(", ", "\n    ")}from:\n      uri: direct:a\n      steps:\n${`- ${steps}`.replaceAll(/^/gm, " ".repeat(8))}\n`;
  const { tree, diagnostics } = readTree(source);
  if (tree === undefined) throw new Error(JSON.stringify(diagnostics));
  const bound = bindFlow(tree, sampleVocabulary, { flowId: "f", source, property: () => undefined });
  expect(bound.diagnostics).toEqual([]);
  const [route] = outlineOf(tree, "f").routes;
  expect(isActive(route?.steps ?? []).map(({ id }) => id)).toEqual(idsOf(bound.flow.routes[0]?.steps));
  expect([...everyStep(route?.steps ?? [])].filter(({ id, hasOwnId }) => hasOwnId && id === "")).toEqual([]);
});
