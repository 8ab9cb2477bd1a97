import { createRuntime, type Deployment } from "@sluice/engine";
import { expect, it } from "vitest";
import { createCatalog } from "../catalog.ts";
import { createEnvironment } from "../host/environment.ts";
import { createHost } from "../host/host.ts";
import { createIds } from "../host/ulid.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import { slotOf } from "./slots.ts";
import { TiedFlows } from "./tied-flows.ts";
import { tiesOf, unsupportedParts } from "./unsupported.ts";

const noop = (): undefined => undefined;
const catalog = createCatalog();
const runtime = createRuntime({
  catalog,
  host: createHost({
    log: { enabled: () => false, write: noop },
    ids: createIds(() => Date.now()),
    http: { mount: () => noop },
    environment: createEnvironment({}),
    secrets: createSecretValues(),
    lookup: { find: noop as never },
  }),
  listener: { started: noop, ended: noop, retrying: noop, routeChanged: noop },
});

type RouteText = readonly [id: string, uri: string, step?: string];

function prepare(...routes: readonly RouteText[]): Deployment {
  return prepareWith("auto", ...routes);
}

function prepareWith(value: string, ...routes: readonly RouteText[]): Deployment {
  const source = routes.map(([id, uri, step = "log: x"]) => `- route: {id: ${id}, from: {uri: "${uri}", steps: [{${step}}]}}\n`).join("");
  const { deployment, diagnostics } = runtime.prepare({ id: "f", hash: "h", source, property: noop, propertiesUnder: () => ({ placement: value }) });
  if (deployment === undefined) throw new Error(JSON.stringify(diagnostics));
  return deployment;
}

/** For each route: the key of the slot of its trigger, and of the slot that its requests are forwarded to. */
function keysOf(deployment: Deployment): readonly (readonly [string | undefined, string | undefined])[] {
  const tied = new TiedFlows();
  tied.prepared(deployment, catalog);
  const nameOf = (slot: number | undefined) => ["f", "master/a", "master/b"].find((key) => slotOf(key) === slot);
  return deployment.routes.map(({ identity }) => [nameOf(tied.slotOf(identity)), nameOf(tied.requestSlot("f", identity.id))]);
}

const problemsOf = (deployment: Deployment): readonly string[] => unsupportedParts(deployment, catalog, []).map(({ message }) => message);
const tiedStep = "to: 'file:out'";

it("a 'master:' route uses the slot of its name and ties no other route", () => {
  const deployment = prepare(["one", "master:a:timer:t"], ["two", "master:b:webhook"], ["three", "webhook"], ["four", "timer:t"]);
  expect(tiesOf(deployment, catalog)).toEqual([]);
  expect(keysOf(deployment)).toEqual([
    ["master/a", "master/a"],
    ["master/b", "master/b"],
    ["f", undefined],
    ["f", undefined],
  ]);
  expect(problemsOf(deployment)).toEqual([]);
});

it("a flow that must run on one node runs on the node of its 'master:' name, and can have only one name", () => {
  const deployment = prepare(["one", "master:a:timer:t", tiedStep], ["two", "webhook"], ["three", "master:a:queue:work"]);
  expect(keysOf(deployment)).toEqual([
    ["master/a", "master/a"],
    ["master/a", "master/a"],
    ["master/a", "master/a"],
  ]);
  expect(problemsOf(deployment)).toEqual([]);
  expect(problemsOf(prepare(["one", "master:a:timer:t", tiedStep], ["two", "master:b:timer:t"]))).toEqual([
    expect.stringMatching(/^route 'two': the flow must run on one node .* but 'master:' has the names 'a' and 'b', which is not supported/),
  ]);
});

it("rejects 'master:' with a durable webhook, whose messages every node processes, and accepts it with idempotency keys", () => {
  expect(problemsOf(prepare(["one", "master:a:webhook?durable=true"]))).toEqual([
    expect.stringContaining("every node processes the messages of a durable webhook"),
  ]);
  expect(problemsOf(prepare(["one", "master:a:webhook?idempotency=true", tiedStep]))).toEqual([]);
});

/** The routes whose trigger runs on one node, and those whose requests do. */
function placedOf(deployment: Deployment): readonly string[] {
  const tied = new TiedFlows();
  tied.prepared(deployment, catalog);
  return deployment.routes
    .map(({ identity }) => identity.id)
    .filter((id, index) => tied.isPlaced(deployment.routes[index]?.identity as never) || tied.requestSlot("f", id) !== undefined);
}

it("sluice.placement ties the whole flow to one node, or lets every node run every source", () => {
  const routes: readonly RouteText[] = [
    ["tick", "timer:t"],
    ["hook", "webhook"],
    ["named", "master:a:timer:t"],
  ];
  expect(placedOf(prepareWith("auto", ...routes))).toEqual(["tick", "named"]);
  expect(placedOf(prepareWith("one", ...routes))).toEqual(["tick", "hook", "named"]);
  expect(placedOf(prepareWith("all", ...routes))).toEqual(["named"]);
  expect(placedOf(prepareWith("all", ["tick", "timer:t", tiedStep], ["hook", "webhook?idempotency=true"]))).toEqual([]);
  expect(problemsOf(prepareWith("one", ["work", "queue:work"]))).toEqual([expect.stringContaining("(its parameter sluice.placement is 'one')")]);
  expect(() => prepareWith("two", ...routes)).toThrow("the parameter 'sluice.placement' is 'two'; allowed: auto, one, all");
});
