// Everything offered in the lists of steps, routes and elements can be deployed as inserted, or lacks only values that a tool cannot infer.
import { beforeAll, describe, expect, test } from "vitest";
import { createFlowChecker } from "@sluice/server/check";
import { branchesOf, FlowCatalog } from "../../packages/designer/src/catalog/flow-catalog.ts";
import { elementYaml, routeYaml, sendYaml, starterYaml } from "../../packages/designer/src/catalog/starter-yaml.ts";
import { defaultAnswers, recipes } from "../../packages/designer/src/catalog/recipes.ts";
import { addElement } from "../../packages/designer/src/commands/add-element.ts";
import type { DocumentCommand } from "../../packages/designer/src/commands/command.ts";
import { wrapIn } from "../../packages/designer/src/commands/wrap-steps.ts";
import * as flows from "../../packages/designer/src/document/open-flow.ts";
import { startTestServer } from "../started-server.ts";

let catalog: FlowCatalog;
beforeAll(async () => {
  const server = await startTestServer();
  catalog = new FlowCatalog((await server.api("GET", "/catalog?full=true")).json);
  await server.end();
});

const check = createFlowChecker();
const flowOf = (yaml: string): string =>
  `- route:\n    id: a\n    from:\n      uri: direct:a\n      steps:\n        - ${yaml.replaceAll("\n", "\n          ")}\n        - log: after\n`;

async function errorsIn(source: string): Promise<readonly string[]> {
  const { diagnostics } = await check({ id: "a", source, property: () => undefined });
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

/** Steps that reference something that must exist: a bean, a Kamelet or a repository. */
const stepsWithReferences: ReadonlySet<string> = new Set(["bean", "process", "kamelet", "idempotentConsumer"]);

function added(command: DocumentCommand, text: string): string {
  const flow = flows.openFlow("a", text, undefined);
  const result = command.apply(flow);
  if (result === undefined || !result.edit.ok) throw new Error(`The command "${command.title}" does not apply.`);
  return result.edit.source;
}

describe("offered elements can be deployed", () => {
  test("every step", async () => {
    const checked = await Promise.all(catalog.view.steps.map(async (step) => [step.name, await errorsIn(flowOf(starterYaml(step)))] as const));
    const found = checked.filter(([, messages]) => messages.length > 0);
    expect(found.filter(([name]) => !stepsWithReferences.has(name))).toEqual([]);
    expect(found.flatMap(([, messages]) => messages).filter((message) => /no option|YAML|expected/.test(message))).toEqual([]);
  });

  test("every connector as a step and as the start of a route", async () => {
    const missingReference = /mapping|kamelet|language|bean|template|no route|timer|does not reference a connection/;
    const found: string[] = [];
    const collect = async (scheme: string, text: string): Promise<void> => {
      for (const message of await errorsIn(text)) if (!missingReference.test(message)) found.push(`${scheme}: ${message}`);
    };
    for (const connector of catalog.connectorsWith("sink")) await collect(connector.scheme, flowOf(sendYaml(connector)));
    for (const connector of catalog.connectorsWith("source"))
      await collect(connector.scheme, added(addElement("route", routeYaml(connector, "b"), false), flowOf("log: x")));
    expect(found).toEqual([]);
  });

  test("every top-level element, before the routes where required", async () => {
    for (const entity of catalog.view.entities.filter(({ raw }) => raw !== true)) {
      const text = added(addElement(entity.title, elementYaml(entity), entity.beforeRoutes === true), `# kept\n${flowOf("log: x")}`);
      expect(text.startsWith("# kept\n"), entity.name).toBe(true);
      expect(text.indexOf(entity.name) < text.indexOf("route:"), entity.name).toBe(entity.beforeRoutes === true);
      expect(
        (await errorsIn(text)).filter((message) => /no option|YAML|expected/.test(message)),
        entity.name,
      ).toEqual([]);
    }
  });

  test("every recipe", async () => {
    for (const recipe of recipes) {
      const { key, insertAs } = recipe;
      const yaml = recipe.yaml(defaultAnswers(recipe));
      const text =
        insertAs === "element" ? added(addElement(key, yaml[0] as string, true), flowOf("log: x")) : flowOf(yaml.join("\n").replaceAll(/\n(?=\S)/g, "\n- "));
      expect(await errorsIn(insertAs === "element" ? text : text.replaceAll("\n          - ", "\n        - ")), key).toEqual([]);
    }
  });

  test("a first route for an empty file", async () => {
    const timer = catalog.connector("timer") as NonNullable<ReturnType<FlowCatalog["connector"]>>;
    expect(await errorsIn(added(addElement("route", routeYaml(timer, "b"), false), ""))).toEqual([]);
  });
});

test("every block can wrap steps", () => {
  for (const step of catalog.containers()) {
    const flow = flows.select(flows.openFlow("a", flowOf("log: inside"), undefined), [0, "route", "from", "steps", 0]);
    const result = wrapIn(step.title, starterYaml(step)).apply(flow);
    expect(result?.edit.ok && result.edit.source, step.name).toMatch(/steps:\n +- log: inside/);
  }
  expect(catalog.containers().map(({ name }) => name)).toEqual(expect.arrayContaining(["choice", "doTry", "filter", "split", "multicast", "circuitBreaker"]));
  expect(branchesOf(catalog.step("choice")?.options ?? []).map(({ option }) => option.name)).toEqual(["when", "otherwise"]);
});
