import { expect, test } from "vitest";
import { openFlow } from "../document/open-flow.ts";
import type { StepOutline } from "@sluice/model";
import { haveSameRendering, chunksOf, estimatedSize } from "./step-chunks.ts";

const text = (steps: readonly string[]): string =>
  `- route:\n    id: r\n    from:\n      uri: direct:r\n      steps:\n${steps.map((step) => `        - ${step}\n`).join("")}`;
const stepsOf = (steps: readonly string[]): readonly StepOutline[] => openFlow("r", text(steps), undefined).lastValid?.outline.routes[0]?.steps ?? [];
const logs = (count: number): string[] => Array.from({ length: count }, (_, index) => `log: {message: "${index}"}`);
const choice = `choice: {when: [{simple: "\${body}", steps: [{log: a}, {log: b}]}], otherwise: {steps: [{log: c}]}}`;

test("short lists are rendered whole, long ones in chunks that contain all steps in order", () => {
  expect(chunksOf(stepsOf(logs(23)))).toBeUndefined();
  const steps = stepsOf([...logs(15), choice, ...logs(15)]);
  const chunks = chunksOf(steps) ?? [];
  expect(chunks.flatMap((chunk) => chunk.steps)).toEqual(steps);
  expect(chunks.map(({ start }) => start)).toEqual([0, 10, 17, 27]);
});

test("steps render identically unless something visible changes; their position in the text does not matter", () => {
  const before = stepsOf([...logs(3), choice]);
  expect(haveSameRendering(before, stepsOf([...logs(3), choice]))).toBe(true);
  expect(haveSameRendering(before.slice(1), stepsOf([`log: {message: "much longer than before"}`, ...logs(3).slice(1), choice]).slice(1))).toBe(true);
  expect(haveSameRendering(before, stepsOf([`log: {message: "other"}`, ...logs(3).slice(1), choice]))).toBe(false);
  expect(haveSameRendering(before, stepsOf([`log: {message: "0", disabled: true}`, ...logs(3).slice(1), choice]))).toBe(false);
  expect(haveSameRendering(before, stepsOf([...logs(3), choice.replace("log: b", "log: changed")]))).toBe(false);
  expect(haveSameRendering(before, stepsOf([...logs(3), choice.replace("body", "header.a")]))).toBe(false);
  expect(haveSameRendering(before, stepsOf(logs(3)))).toBe(false);
});

test("a generated id matters only for steps that can be collapsed", () => {
  const disabledFirst = [`log: {message: "0", disabled: true}`, ...logs(3).slice(1)];
  expect(haveSameRendering(stepsOf(logs(3)).slice(1), stepsOf(disabledFirst).slice(1))).toBe(true);
  const choices = [choice, choice];
  expect(haveSameRendering(stepsOf(choices).slice(1), stepsOf([choice.replace("{when", "{disabled: true, when"), choice]).slice(1))).toBe(false);
});

test("a chunk is as high as its cards and gaps, and as wide as its branches side by side", () => {
  const isCollapsed = (): boolean => false;
  expect(estimatedSize(stepsOf(logs(10)), "down", isCollapsed)).toEqual({ width: 272, height: 10 * 86 });
  expect(estimatedSize(stepsOf([choice]), "down", () => true)).toEqual({ width: 272, height: 86 });
  expect(estimatedSize(stepsOf([choice]), "down", isCollapsed)).toEqual({ width: 2 * (216 + 16) + 14 + 24, height: 26 + 46 + (24 + 2 * 86 + 6) + 39 });
  expect(estimatedSize(stepsOf(logs(10)), "right", isCollapsed)).toEqual({ width: 10 * 242, height: 60 });
});
