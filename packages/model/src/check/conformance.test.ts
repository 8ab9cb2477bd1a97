// Reads Camel's conformance cases when their path is set; checks only what needs no runtime.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readTree } from "../read/read-tree.ts";
import { bindFlow } from "./bind-flow.ts";
import { sampleVocabulary } from "./sample-vocabulary.test-support.ts";

const folder = process.env["SLUICE_CONFORMANCE"];
interface Case {
  readonly id: string;
  readonly title: string;
  readonly yaml: string;
  readonly level?: string;
  readonly params?: Record<string, string>;
  readonly expect: { readonly rejected?: boolean; readonly routeCount?: number; readonly routeIds?: readonly string[] };
}

function cases(file: string): Case[] {
  const path = `${folder}/${file}`;
  return folder !== undefined && existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Case)
    : [];
}

/** Whether only the engine rejects the document: when a route starts, or when it resolves a class or a template. */
const needsEngine = ({ level, title }: Case): boolean => level === "start" || /class|template without from/.test(title);

function bind({ yaml, params = {} }: Case) {
  const { tree, diagnostics } = readTree(yaml);
  if (tree === undefined) return { routes: [], faults: diagnostics.map((fault) => fault.message) };
  const bound = bindFlow(tree, sampleVocabulary, { flowId: "case", source: yaml, property: (name) => params[name] });
  return { routes: bound.flow.routes, faults: bound.diagnostics.map((fault) => `${fault.span.line}: ${fault.message}`) };
}

describe.skipIf(folder === undefined)("Camel's documents (needs SLUICE_CONFORMANCE, a folder with the conformance set)", () => {
  test.each(cases("documents.jsonl").filter((testCase) => testCase.expect.rejected !== true))("$id accepted: $title", (testCase) => {
    const { routes, faults } = bind(testCase);
    expect(faults).toEqual([]);
    if (testCase.expect.routeIds !== undefined) expect(routes.map((route) => route.id)).toEqual(testCase.expect.routeIds);
  });

  const rejected = cases("documents.jsonl").filter((testCase) => testCase.expect.rejected === true);
  test.each(rejected.filter((testCase) => !needsEngine(testCase)))("$id rejected: $title", (testCase) => {
    expect(bind(testCase).faults).not.toEqual([]);
  });

  test.skip.each(rejected.filter(needsEngine))("$id rejected: $title (needs the engine)", () => undefined);

  const eip = cases("eip.jsonl");
  test.each(eip.filter((testCase) => !testCase.yaml.includes("{{")))("$id binds: $title", (testCase) => {
    expect(bind(testCase).faults).toEqual([]);
  });

  test.skip.each(eip.filter((testCase) => testCase.yaml.includes("{{")))("$id binds: $title (needs the properties of the runtime)", () => undefined);
});
