// Everything offered in the lists of steps, routes and elements can be deployed as inserted, or lacks only values that a tool cannot know.
import { beforeAll, describe, expect, test } from "vitest";
import { createFlowChecker } from "@sluice/server/check";
import { branchesOf, FlowCatalog } from "../../packages/designer/src/catalog/flow-catalog.ts";
import { elementYaml, routeYaml, sendYaml, starterYaml } from "../../packages/designer/src/catalog/starter-yaml.ts";
import { addElement } from "../../packages/designer/src/commands/add-element.ts";
import type { DocumentCommand } from "../../packages/designer/src/commands/command.ts";
import { wrapIn } from "../../packages/designer/src/commands/wrap-steps.ts";
import * as flows from "../../packages/designer/src/document/open-flow.ts";
import { startTestServer } from "../started-server.ts";

let catalog: FlowCatalog;
beforeAll(async () => {
  const server = await startTestServer();
  catalog = new FlowCatalog((await server.api("GET", "/catalog")).json);
  await server.end();
});

const check = createFlowChecker();
const flowOf = (yaml: string): string =>
  `- route:\n    id: a\n    from:\n      uri: direct:a\n      steps:\n        - ${yaml.replaceAll("\n", "\n          ")}\n        - log: after\n`;

function faults(source: string): readonly string[] {
  const { diagnostics = [] } = check({ id: "a", source, property: () => undefined }) as unknown as {
    readonly diagnostics?: readonly { readonly severity: string; readonly message: string }[];
  };
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

/** They reference something that must exist: a bean, a template, a table, another route. */
const needsNames: ReadonlySet<string> = new Set(["bean", "process", "kamelet", "idempotentConsumer"]);

function added(command: DocumentCommand, text: string): string {
  const flow = flows.openFlow("a", text, undefined);
  const result = command.apply(flow);
  if (result === undefined || !result.edit.ok) throw new Error(`cannot be added: ${command.title}`);
  return result.edit.source;
}

describe("offered elements can be deployed", () => {
  test("every step", () => {
    const found = catalog.view.steps.map((step) => [step.name, faults(flowOf(starterYaml(step)))] as const).filter(([, messages]) => messages.length > 0);
    expect(found.filter(([name]) => !needsNames.has(name))).toEqual([]);
    expect(found.flatMap(([, messages]) => messages).filter((message) => /no option|YAML|expected/.test(message))).toEqual([]);
  });

  test("every connector as a step and as the start of a route", () => {
    const named = /mapping|kamelet|language|bean|template|no route|timer/;
    for (const connector of catalog.connectorsWith("sink")) {
      expect(
        faults(flowOf(sendYaml(connector))).filter((message) => !named.test(message)),
        connector.scheme,
      ).toEqual([]);
    }
    for (const connector of catalog.connectorsWith("source")) {
      const text = added(addElement("route", routeYaml(connector, "b"), false), flowOf("log: x"));
      expect(
        faults(text).filter((message) => !named.test(message)),
        connector.scheme,
      ).toEqual([]);
    }
  });

  test("every top-level element, before the routes where required", () => {
    for (const entity of catalog.view.entities.filter(({ raw }) => raw !== true)) {
      const text = added(addElement(entity.title, elementYaml(entity), entity.beforeRoutes === true), `# kept\n${flowOf("log: x")}`);
      expect(text.startsWith("# kept\n"), entity.name).toBe(true);
      expect(text.indexOf(entity.name) < text.indexOf("route:"), entity.name).toBe(entity.beforeRoutes === true);
      expect(
        faults(text).filter((message) => /no option|YAML|expected/.test(message)),
        entity.name,
      ).toEqual([]);
    }
  });

  test("a first route for an empty file", () => {
    const timer = catalog.connector("timer") as NonNullable<ReturnType<FlowCatalog["connector"]>>;
    expect(faults(added(addElement("route", routeYaml(timer, "b"), false), ""))).toEqual([]);
  });
});

test("every block can wrap steps", () => {
  for (const step of catalog.holders()) {
    const flow = flows.select(flows.openFlow("a", flowOf("log: inside"), undefined), [0, "route", "from", "steps", 0]);
    const result = wrapIn(step.title, starterYaml(step)).apply(flow);
    expect(result?.edit.ok && result.edit.source, step.name).toMatch(/steps:\n +- log: inside/);
  }
  expect(catalog.holders().map(({ name }) => name)).toEqual(expect.arrayContaining(["choice", "doTry", "filter", "split", "multicast", "circuitBreaker"]));
  expect(branchesOf(catalog.step("choice")?.options ?? []).map(({ option }) => option.name)).toEqual(["when", "otherwise"]);
});
