// Sinks and pollers resolved at run time: started when a message uses them, limited in number, and stopped when no longer needed.
import { describe, expect, it } from "vitest";
import { connectors as ours } from "@sluice/connectors";
import { mockTap, Mock } from "@sluice/engine";
import { defineConnector, Message, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { flow } from "@sluice/testkit";

/** Endpoints that count how many of them are started. */
function counted(send: (name: string, exchange: Exchange) => void | Promise<void> = () => undefined) {
  const running = new Map<string, number>();
  const counts = { started: 0, stopped: 0, max: 0, wrong: [] as string[] };
  const lifecycle = (name: string) => ({
    start() {
      counts.started++;
      running.set(name, (running.get(name) ?? 0) + 1);
      counts.max = Math.max(counts.max, running.size);
    },
    stop() {
      counts.stopped++;
      const remaining = (running.get(name) ?? 0) - 1;
      if (remaining < 0) counts.wrong.push(`${name} stopped twice`);
      if (remaining === 0) running.delete(name);
    },
  });
  const checkStarted = (name: string): void => void (running.has(name) || counts.wrong.push(`${name} used while stopped`));
  const connector = defineConnector({
    scheme: "counted",
    title: "Counted",
    summary: "Counts starts and stops.",
    group: "testing",
    since: "0.1",
    syntax: "counted:name",
    roles: ["sink", "poller"],
    path: { name: f.string({ doc: "Name.", required: true }) },
    options: {},
    headers: {},
    examples: [],
    connect: () => ({
      sink: ({ options: { name } }) => ({
        ...lifecycle(name),
        send(exchange) {
          checkStarted(name);
          return send(name, exchange);
        },
      }),
      poller: ({ options: { name } }) => ({
        ...lifecycle(name),
        receive() {
          checkStarted(name);
          return new Message(name);
        },
      }),
    }),
  });
  return { connectors: [connector], running, counts };
}

const steps = {
  toD: `- toD: "counted:\${body}"`,
  recipientList: `- recipientList: {simple: "counted:\${body}"}`,
  enrich: `- enrich: {simple: "counted:\${body}"}`,
  wireTap: `- wireTap: {uri: "counted:\${body}"}`,
  poll: `- poll: "counted:\${body}"`,
  pollEnrich: `- pollEnrich: {simple: "counted:\${body}"}`,
} as const;

describe("endpoints resolved at run time", () => {
  for (const [name, yaml] of Object.entries(steps))
    it(`${name}: of 2,500 URIs no more than 1,000 are started at a time, and none after the route has stopped`, async () => {
      const { connectors, running, counts } = counted();
      const run = await flow(yaml, { connectors });
      for (let count = 0; count < 2500; count++) expect((await run({ body: String(count) })).error).toBeUndefined();
      await run.host.clock.advance(0);
      expect(counts).toEqual({ started: 2500, stopped: 1500, max: 1000, wrong: [] });
      await run.stop();
      // A detached copy has one timer, which expires on its own.
      await run.host.clock.advance(1000);
      expect([counts.stopped, running.size, run.host.clock.pending]).toEqual([2500, 0, 0]);
    });

  it("are stopped when idle, but not while they are used regularly", async () => {
    const { connectors, running, counts } = counted();
    const run = await flow(steps.toD, { connectors });
    await run({ body: "rare" });
    for (let minute = 0; minute < 12; minute++) {
      await run({ body: "often" });
      await run.host.clock.advance(60_000);
    }
    expect([...running.keys()]).toEqual(["often"]);
    await run({ body: "rare" });
    expect([[...running.keys()].toSorted(), counts.wrong]).toEqual([["often", "rare"], []]);
    await run.stop();
    expect([counts.started, counts.stopped, running.size, run.host.clock.pending]).toEqual([3, 3, 0, 0]);
  });

  it("are not stopped while a message is using them", async () => {
    let finish = (): void => undefined;
    const { connectors, running, counts } = counted((name) => (name === "slow" ? new Promise<void>((resolve) => (finish = resolve)) : undefined));
    const run = await flow(steps.toD, { connectors });
    const slow = run({ body: "slow" });
    for (let count = 0; count < 1500; count++) await run({ body: String(count) });
    expect(running.has("slow")).toBe(true);
    finish();
    expect((await slow).error).toBeUndefined();
    await run.stop();
    expect([running.size, counts.wrong, counts.started, counts.stopped]).toEqual([0, [], 1501, 1501]);
  });

  it("work again after the route was stopped and started", async () => {
    const { connectors, running, counts } = counted();
    const run = await flow(steps.toD, { connectors });
    await run({ body: "a" });
    await run.runtime.routes.get("start")?.stop();
    expect(running.size).toBe(0);
    await run.runtime.routes.get("start")?.start();
    await run({ body: "a" });
    expect([running.size, counts.started, counts.wrong]).toEqual([1, 2, []]);
    await run.stop();
    expect(running.size).toBe(0);
  });

  it("keep in-memory queues with waiting messages, even beyond the limit", async () => {
    const run = await flow(
      `- route: {id: in, from: {uri: "direct:in", steps: [{toD: "seda:q\${body}?waitForTaskToComplete=Never"}]}}
- route: {id: out, from: {uri: "direct:out", steps: [{poll: {uri: "seda:q\${body}", timeout: "0"}}]}}`,
      { connectors: ours.filter(({ scheme }) => scheme === "seda") },
    );
    for (let count = 0; count < 1200; count++) await run.send("direct:in", { body: count });
    await run.host.clock.advance(900_000);
    for (let count = 0; count < 1200; count++) expect((await run.send("direct:out", { body: count })).body).toBe(count);
    await run.host.clock.advance(900_000);
    await run.stop();
  });

  it("are mocked by their URI when they are polled", async () => {
    const { connectors, counts } = counted();
    const run = await flow(`- setHeader: {name: kept, constant: "yes"}\n- poll: "counted:\${body}"`, { connectors });
    const mock = new Mock(
      "m",
      { match: { uri: "counted:inbox*" }, respond: { body: { order: 1 }, headers: { source: "mock" } } },
      {
        clock: run.host.clock,
        compile: () => () => undefined,
      },
    );
    const calls: (string | undefined)[] = [];
    const route = run.runtime.routes.get("start");
    const untap = run.runtime.tap(
      mockTap({
        sessionId: "s",
        mocks: [mock],
        routes: new Set(route === undefined ? [] : [route.identity]),
        scope: "deployment",
        failUnmatched: true,
        isLocalEndpoint: () => false,
        calls: { record: (_id, uri) => calls.push(uri), finish: () => undefined },
        uriOf: () => undefined,
        mocked: () => undefined,
      }),
    );
    expect(await run({ body: "inbox" })).toMatchObject({ body: { order: 1 }, headers: { source: "mock" }, error: undefined });
    expect((await run({ body: "other" })).error).toContain("no mock for 'counted:other'");
    expect([calls, counts.started]).toEqual([["counted:inbox"], 0]);
    untap();
    expect((await run({ body: "inbox" })).body).toBe("inbox");
    await run.stop();
  });
});
