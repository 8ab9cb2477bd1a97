// Whatever the list of steps offers can be deployed as it is inserted, or lacks only what no tool can know.
import { describe, expect, test } from "vitest";
import { catalogView, commonFields, fromFields, type CatalogView } from "@sluice/model";
import { formats, languages, steps } from "@sluice/standard";
import { createFlowChecker } from "@sluice/server/check";
import { branchesOf, FlowCatalog } from "../../packages/designer/src/catalog/flow-catalog.ts";
import { starterYaml } from "../../packages/designer/src/catalog/starter-yaml.ts";
import { wrapIn } from "../../packages/designer/src/commands/wrap-steps.ts";
import * as flows from "../../packages/designer/src/document/open-flow.ts";

const byName = <T extends { readonly name: string }>(list: readonly T[]): ReadonlyMap<string, T> => new Map(list.map((one) => [one.name, one]));
const view: CatalogView = catalogView({
  steps: byName(steps),
  languages: byName(languages),
  formats: byName(formats),
  entities: new Map(),
  refused: new Map(),
  connectors: new Map(),
  beans: new Map(),
  rolesOf: () => [],
  common: commonFields,
  route: {},
  from: fromFields,
});
const catalog = new FlowCatalog(view);
const check = createFlowChecker();
const flowOf = (yaml: string): string =>
  `- route:\n    id: a\n    from:\n      uri: direct:a\n      steps:\n        - ${yaml.replaceAll("\n", "\n          ")}\n        - log: after\n`;
const faults = (source: string): readonly string[] => {
  const result = check({ id: "a", source, property: () => undefined }) as unknown as {
    readonly diagnostics?: readonly { readonly severity: string; readonly message: string }[];
  };
  return (result.diagnostics ?? []).filter(({ severity }) => severity === "error").map(({ message }) => message);
};
/** They name something of the runtime that must exist: a bean, a template, a repository. */
const needsNames: ReadonlySet<string> = new Set(["bean", "process", "kamelet", "idempotentConsumer"]);

describe("new steps", () => {
  test.each(view.steps.map((step) => [step.name, step] as const))("%s", (name, step) => {
    const found = faults(flowOf(starterYaml(step)));
    if (!needsNames.has(name)) expect(found).toEqual([]);
    expect(found.filter((fault) => /no option|YAML|expected/.test(fault))).toEqual([]);
  });

  test("every holder of steps takes steps around which it is put", () => {
    for (const step of catalog.holders()) {
      const flow = flows.select(flows.openFlow("a", flowOf("log: inside"), undefined), [0, "route", "from", "steps", 0]);
      const result = wrapIn(step.title, starterYaml(step)).apply(flow);
      expect(result?.edit.ok && result.edit.source, step.name).toMatch(/steps:\n +- log: inside/);
    }
    expect(catalog.holders().map(({ name }) => name)).toEqual(expect.arrayContaining(["choice", "doTry", "filter", "split", "multicast", "circuitBreaker"]));
    expect(branchesOf(catalog.step("choice")?.options ?? []).map(({ option }) => option.name)).toEqual(["when", "otherwise"]);
  });
});
