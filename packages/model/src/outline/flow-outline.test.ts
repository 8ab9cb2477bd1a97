import { expect, test } from "vitest";
import { bindFlow } from "../check/bind-flow.ts";
import { sampleVocabulary } from "../check/sample-vocabulary.test-support.ts";
import type { StepNode } from "../flow/flow-document.ts";
import { readTree } from "../read/read-tree.ts";
import { activeSteps, everyStep, outlineOf } from "./flow-outline.ts";

const isStep = (value: unknown): value is StepNode => typeof value === "object" && value !== null && "id" in value && "name" in value && "options" in value;

/** The ids of all steps of the runtime, each before its inner steps. */
function idsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(isStep(value) ? [value.id] : []), ...Object.values(value).flatMap(idsOf)];
}

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
  expect([...activeSteps(route?.steps ?? [])].map(({ id }) => id)).toEqual(idsOf(bound.flow.routes[0]?.steps));
  expect([...everyStep(route?.steps ?? [])].filter(({ id, hasOwnId }) => hasOwnId && id === "")).toEqual([]);
});

test("generated ids in entities are those of the runtime", () => {
  const source = `
- onException: {exception: [java.io.IOException], steps: [{log: a}, {choice: {when: [{simple: b, steps: [{log: b}]}, {simple: c, disabled: true, steps: [{log: c}]}]}}]}
- onException: {exception: [java.lang.Exception], steps: [{log: d}, {log: {message: e, id: own}}]}
- from: {uri: direct:a, steps: [{log: f}]}
`;
  const { tree } = readTree(source);
  if (tree === undefined) throw new Error("unreadable");
  const bound = bindFlow(tree, sampleVocabulary, { flowId: "f", source, property: () => undefined });
  expect(bound.diagnostics).toEqual([]);
  const ids = outlineOf(tree, "f").entities.map(({ blocks }) => blocks.flatMap((block) => [...activeSteps(block.steps)].map(({ id }) => id)));
  expect(ids).toEqual([
    ["onException1-log1", "onException1-choice1", "onException1-log2"],
    ["onException2-log1", "own"],
  ]);
  expect(ids).toEqual(bound.flow.entities.map(({ options }) => idsOf(options)));
});
