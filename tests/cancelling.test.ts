// Cancellation: deadlines, drains and stops reach everything a run started and never wait forever.
import { defineConnector, type BeanDeclaration } from "@sluice/engine";
import { f } from "@sluice/model";
import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { mockBodies, withAdvancingClock } from "./advancing-clock.ts";

let release = (): void => undefined;
/** Waits until the test releases it, regardless of its run. */
const slow: BeanDeclaration = {
  names: ["slow"],
  kind: "function",
  properties: {},
  title: "Slow",
  summary: "Waits.",
  group: "functions",
  since: "0.1",
  create: () => () => new Promise<void>((resolve) => (release = resolve)),
};

describe("a run over its deadline", () => {
  it.each([
    ["parts", `- split: {simple: "\${body}", steps: [{delay: {constant: "400"}}, {to: "mock:later"}]}`],
    ["parallel parts", `- split: {simple: "\${body}", parallelProcessing: true, steps: [{delay: {constant: "5000"}}, {to: "mock:later"}, {to: "mock:later"}]}`],
    ["branches", `- multicast: {steps: [{delay: {constant: "900"}}, {pipeline: {steps: [{delay: {constant: "900"}}, {to: "mock:later"}]}}]}`],
    ["loop iterations", `- loop: {constant: "20", copy: true, steps: [{delay: {constant: "900"}}, {delay: {constant: "900"}}, {to: "mock:later"}]}`],
    ["catch blocks", `- doTry: {steps: [{delay: {constant: "5000"}}], doCatch: [{exception: [java.lang.Exception], steps: [{to: "mock:later"}]}]}`],
  ])("ends its %s too", async (name, steps) => {
    const run = await flow(steps, { limits: { runMs: 1000 } });
    const outcome = await withAdvancingClock(run, run({ body: "a,b,c,d" }));
    expect(outcome.error).toBe("time limit: the run took longer than 1000 ms");
    const before = mockBodies(run, "later").length;
    expect(before).toBeLessThanOrEqual(name === "parts" ? 2 : 0);
    await run.host.clock.advance(60_000);
    expect(mockBodies(run, "later")).toHaveLength(before);
    expect(run.runtime.routes.get("start")?.stats.inflight).toBe(0);
  });

  it("ends without affecting the run that started it with a wire tap", async () => {
    const run = await flow(
      `- route: {id: start, from: {uri: "direct:start", steps: [{wireTap: {uri: "direct:tapped"}}, {delay: {constant: "700"}}, {to: "mock:main"}]}}
- route: {id: tapped, from: {uri: "direct:tapped", steps: [{delay: {constant: "5000"}}, {to: "mock:late"}]}}`,
      { limits: { runMs: 1000 } },
    );
    const outcome = await withAdvancingClock(run, run({ body: "x" }));
    expect(outcome.error).toBeUndefined();
    expect(mockBodies(run, "main")).toEqual(["x"]);
    await run.host.clock.advance(10_000);
    expect(run.mocks.has("late")).toBe(false);
    expect(run.runtime.routes.get("start")?.stats).toMatchObject({ inflight: 0, failed: 1 });
  });
});

describe("a run that exceeds its deadline during a direct: call", () => {
  it("is cancelled; the called run ends once, when its current step ends", async () => {
    const events: string[] = [];
    const run = await flow(
      `- route: {id: start, from: {uri: "direct:start", steps: [{to: "direct:below"}, {to: "mock:later"}]}}
- route: {id: below, from: {uri: "direct:below", steps: [{process: {ref: slow}}, {to: "mock:later"}]}}`,
      {
        limits: { runMs: 1000 },
        beans: [slow],
        listener: {
          started: ({ route }) => events.push(`${route.id} starts`),
          ended: ({ route, status, endedAt }, { run }) => events.push(`${route.id} ${status} ${endedAt > 0} as ${run.route.id}`),
        },
      },
    );
    const outcome = await withAdvancingClock(run, run({ body: "x" }), 3_000);
    expect([outcome.error, outcome.exchange.run.route.id]).toEqual(["time limit: the run took longer than 1000 ms", "start"]);
    expect(events).toEqual(["start starts", "below starts", "start cancelled true as start"]);
    release();
    await run.host.clock.advance(10);
    expect(events.slice(3)).toEqual(["below failed true as below"]);
    expect(["start", "below"].map((id) => run.runtime.routes.get(id)?.stats)).toMatchObject([
      { inflight: 0, total: 1, failed: 1 },
      { inflight: 0, total: 1, failed: 1 },
    ]);
    expect(run.mocks.has("later")).toBe(false);
  });
});

describe("a detached copy that fails", () => {
  it("counts as a failed run of the route that detached it", async () => {
    const run = await flow(`- wireTap: {uri: "mock:x?nosuch=\${body}"}\n- to: mock:main`);
    expect((await run({ body: "x" })).error).toBeUndefined();
    await run.host.clock.advance(10);
    expect(run.runtime.routes.get("start")?.stats).toMatchObject({ inflight: 0, failed: 1, total: 2 });
    expect(run.host.log.records.map(({ text }) => text)).toEqual([expect.stringContaining("A detached message failed")]);
  });
});

describe("a source that never stops", () => {
  let abandoned = 0;
  const stuck = defineConnector({
    scheme: "stuck",
    title: "Stuck",
    summary: "Never stops.",
    group: "core",
    since: "0.1",
    syntax: "stuck:name",
    roles: ["source"],
    path: { name: f.string({ doc: "A name." }) },
    options: {},
    headers: {},
    examples: [],
    connect: () => ({
      source: () => ({ claims: [], exclusive: false, start: () => undefined, stop: () => new Promise<void>(() => undefined), abandon: () => ++abandoned }),
    }),
  });
  const yaml =
    '- route: {id: stuck, from: {uri: "stuck:x", steps: [{to: "mock:a"}]}}\n- route: {id: start, from: {uri: "direct:start", steps: [{to: "mock:b"}]}}';

  it("delays neither removal nor shutdown beyond the drain timeout, and is abandoned", async () => {
    const removed = await flow(yaml, { connectors: [stuck], limits: { drainMs: 2000 } });
    const startTime = removed.host.clock.monotonic();
    const report = await withAdvancingClock(removed, removed.runtime.undeploy("test"));
    expect(report).toMatchObject({ drained: false, abandoned: [{ routeId: "stuck", stepId: undefined }] });
    expect(removed.host.clock.monotonic() - startTime).toBeLessThanOrEqual(2100);
    expect(abandoned).toBe(1);
    const stopped = await flow(yaml, { connectors: [stuck], limits: { drainMs: 2000 } });
    expect(await withAdvancingClock(stopped, stopped.runtime.stop())).toMatchObject({ drained: false });
    expect(abandoned).toBe(2);
    expect(stopped.host.log.records.map(({ text }) => text)).toEqual(["'stuck:x' still had messages to deliver at the drain timeout; messages abandoned: 2"]);
  });
});

describe("a group completed by stopping the flow", () => {
  it("still reaches its destination", async () => {
    const run = await flow(`
      - aggregate:
          correlationExpression: {constant: all}
          completionSize: "10"
          forceCompletionOnStop: true
          aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"
          steps: [{delay: {constant: "100"}}, {to: "mock:group"}]
    `);
    await run({ body: "a" });
    await run({ body: "b" });
    await withAdvancingClock(run, run.stop());
    expect(mockBodies(run, "group")).toEqual([["a", "b"]]);
  });
});
