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

function bind({ yaml, params = {} }: Case) {
  const { tree, diagnostics } = readTree(yaml);
  if (tree === undefined) return { routes: [], faults: diagnostics.map((fault) => fault.message) };
  const bound = bindFlow(tree, sampleVocabulary, { flowId: "case", source: yaml, property: (name) => params[name] });
  return { routes: bound.flow.routes, faults: bound.diagnostics.map((fault) => `${fault.span.line}: ${fault.message}`) };
}

describe.skipIf(folder === undefined)("Camel's documents (needs SLUICE_CONFORMANCE, a folder with the conformance set)", () => {
  test.each(cases("documents.jsonl").filter((one) => one.expect.rejected !== true))("$id accepted: $title", (one) => {
    const { routes, faults } = bind(one);
    expect(faults).toEqual([]);
    if (one.expect.routeIds !== undefined) expect(routes.map((route) => route.id)).toEqual(one.expect.routeIds);
  });

  // Documents rejected at "start" may need the engine; the model alone must reject the others.
  test.each(cases("documents.jsonl").filter((one) => one.expect.rejected === true && one.level !== "start"))("$id rejected: $title", (one) => {
    if (/class|template without from/.test(one.title)) return;
    expect(bind(one).faults).not.toEqual([]);
  });

  test.each(cases("eip.jsonl"))("$id binds: $title", (one) => {
    expect(bind(one).faults.filter((fault) => !one.yaml.includes("{{"))).toEqual([]);
  });
});
