import { createHash } from "node:crypto";
import { createRuntime, type Runtime } from "@sluice/engine";
import { describe, expect, it } from "vitest";
import { createCatalog } from "../catalog.ts";
import { createHost } from "../host/host.ts";
import { createEnvironment } from "../host/environment.ts";
import { createIds } from "../host/ulid.ts";
import { createSecretValues } from "../masking/secret-values.ts";
import { placeRoutes } from "./placement.ts";

const noop = (): undefined => undefined;

function runtimeWithoutEffects(): Runtime {
  const host = createHost({
    log: { enabled: () => false, write: noop },
    ids: createIds(() => Date.now()),
    http: { mount: () => noop },
    environment: createEnvironment({}),
    secrets: createSecretValues(),
    lookup: { find: noop as never },
  });
  return createRuntime({ catalog: createCatalog(), host, listener: { started: noop, ended: noop, retrying: noop, routeChanged: noop } });
}

async function deploy(runtime: Runtime, id: string, source: string): Promise<void> {
  const hash = createHash("sha256").update(source).digest("hex");
  const { deployment, diagnostics } = runtime.prepare({ id, hash, source, property: noop });
  if (deployment === undefined) throw new Error(JSON.stringify(diagnostics));
  await runtime.deploy(deployment);
}

const route = (id: string, uri: string, steps: string): string => `- route: {id: ${id}, from: {uri: "${uri}", steps: [${steps}]}}\n`;
const reply = "{setBody: {constant: ok}}";

/** The routes of one document that every worker runs, deployed as flow `f`. */
async function routesOnEveryWorker(source: string, more: Partial<Parameters<typeof placeRoutes>[0]> = {}): Promise<readonly string[]> {
  const runtime = runtimeWithoutEffects();
  await deploy(runtime, "f", source);
  const routeIds = placeRoutes({ runtime, needsOneProcess: () => false, isCaptured: () => false, ...more }).get("f") ?? [];
  await runtime.stop();
  return routeIds;
}

describe("which routes every worker runs", () => {
  it.each([
    ["a webhook with plain steps", "webhook", reply],
    ["a custom path", "platform-http:/own", reply],
    ["a call to a fixed web address", "webhook", "{to: 'http://partner.example/orders'}"],
    ["a call to a web address with a part from the message", "webhook", "{toD: 'http://partner.example/${header.id}'}"],
    ["nested steps", "webhook", `{choice: {when: [{simple: '\${body}', steps: [${reply}]}], otherwise: {steps: [{log: x}]}}}`],
  ])("%s runs in every worker", async (_name, uri, steps) => {
    expect(await routesOnEveryWorker(route("r", uri, steps))).toEqual(["r"]);
  });

  it.each([
    ["a timer", "timer:t?delay=1h", reply],
    ["a queue between routes", "seda:s", reply],
    ["idempotency keys", "webhook?idempotency=true", reply],
    [
      "an aggregator",
      "webhook",
      "{aggregate: {correlationExpression: {constant: a}, completionSize: 2, aggregationStrategy: GroupedBodyAggregationStrategy, steps: []}}",
    ],
    ["a throttle inside a choice", "webhook", "{choice: {when: [{simple: '${body}', steps: [{throttle: {constant: '5'}}]}]}}"],
    ["sending to a queue", "webhook", "{to: 'seda:s'}"],
    ["writing a file", "webhook", "{to: 'file:out'}"],
    ["a fully dynamic address", "webhook", "{toD: '${header.where}'}"],
    ["a direct route selected at run time", "webhook", "{toD: 'direct:${header.where}'}"],
    ["a global variable", "webhook", "{setVariable: {name: 'global:count', constant: '1'}}"],
    ["reading a global variable", "webhook", "{setBody: {simple: '${variable.global:count}'}}"],
  ])("%s ties the route to the leader", async (_name, uri, steps) => {
    expect(await routesOnEveryWorker(route("r", uri, steps))).toEqual([]);
  });

  it("ties a route to the leader if a route it calls, directly or indirectly, is tied", async () => {
    const calls = (name: string): string => `{to: 'direct:${name}'}`;
    const chain = route("a", "webhook", calls("b")) + route("b", "direct:b", calls("c"));
    expect(await routesOnEveryWorker(chain + route("c", "direct:c", reply))).toEqual(["a", "b", "c"]);
    expect(await routesOnEveryWorker(chain + route("c", "direct:c", "{throttle: {constant: '5'}}"))).toEqual([]);
    expect(await routesOnEveryWorker(chain)).toEqual([]);
  });

  it("places routes that call each other in a cycle together", async () => {
    const cycle = route("a", "direct:a", "{to: 'direct:b'}") + route("b", "direct:b", "{to: 'direct:a'}, {to: 'direct:c'}");
    expect(await routesOnEveryWorker(cycle + route("c", "direct:c", reply))).toEqual(["a", "b", "c"]);
    expect(await routesOnEveryWorker(cycle + route("c", "direct:c", "{sample: {messageFrequency: 2}}"))).toEqual([]);
  });

  it("ties one route of a flow without tying the others", async () => {
    const source = route("a", "webhook", reply) + route("b", "webhook", reply) + route("t", "timer:t?delay=1h", reply);
    expect(await routesOnEveryWorker(source)).toEqual(["a", "b"]);
    expect(await routesOnEveryWorker(source, { isCaptured: (id) => id === "a" })).toEqual(["b"]);
    expect(await routesOnEveryWorker(source, { needsOneProcess: (id) => id === "f" })).toEqual([]);
  });

  it("places only started routes on every worker", async () => {
    const runtime = runtimeWithoutEffects();
    await deploy(runtime, "f", route("a", "webhook", reply) + route("b", "webhook", reply));
    await runtime.routes.get("a")?.stop();
    expect(placeRoutes({ runtime, needsOneProcess: () => false, isCaptured: () => false }).get("f")).toEqual(["b"]);
    await runtime.stop();
  });
});
