import { connectorUnderTest, exchangeOf, FakeHost, FakeRouteInput, routeIdentity, settle } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { sluiceEvents } from "./sluice-event.ts";

function setUp() {
  const host = new FakeHost();
  const events = sluiceEvents();
  return { host, events, source: connectorUnderTest(events.connector, host).source };
}

const failed = { name: "run.failed", flowId: "shop", routeId: "orders", details: { error: "no" } };

describe("sluice-event", () => {
  it("delivers matching events after the caller has continued", async () => {
    const { events, source } = setUp();
    const routeInput = new FakeRouteInput(undefined, routeIdentity("notify"));
    void source("sluice-event:run.failed").start(routeInput);
    events.emit(failed);
    events.emit({ name: "run.completed", flowId: "shop", routeId: "orders" });
    expect(routeInput.exchanges).toEqual([]);
    await settle();
    expect(routeInput.bodies).toEqual([{ event: "run.failed", flowId: "shop", routeId: "orders", timestamp: "2026-01-05T10:00:00.000Z", error: "no" }]);
    expect(routeInput.exchanges[0]?.message.headers.get("SluiceEventRouteId")).toBe("orders");
  });

  it.each([
    ["*", ["run.failed", "route.started"]],
    ["run.*", ["run.failed"]],
    ["run.completed,route.started", ["route.started"]],
    ["*?routeId=orders", ["run.failed"]],
    ["*?flowId=other", []],
  ])("filters by %s", async (pattern, names) => {
    const { events, source } = setUp();
    const routeInput = new FakeRouteInput(undefined, routeIdentity("notify"));
    void source(`sluice-event:${pattern}`).start(routeInput);
    events.emit(failed);
    events.emit({ name: "route.started", flowId: "shop", routeId: "stock" });
    await settle();
    expect(routeInput.bodies.map((body) => (body as { event: string }).event)).toEqual(names);
  });

  it("is not triggered by runs it causes, in its own route or in others", async () => {
    const { events, source } = setUp();
    const routeInput = new FakeRouteInput(undefined, routeIdentity("notify", "shop"));
    void source("sluice-event:*").start(routeInput);
    events.emit({ name: "run.failed", flowId: "shop", routeId: "notify" });
    events.emit(failed);
    await settle();
    const [delivered] = routeInput.exchanges;
    const afterQueue = exchangeOf(null, {}, { properties: delivered?.properties });
    events.emit({ name: "run.failed", flowId: "shop", routeId: "mailer" }, afterQueue);
    await settle();
    expect(routeInput.exchanges.length).toBe(1);
  });

  it("drops events and logs their number when a route cannot keep up", async () => {
    const { host, events, source } = setUp();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = () => resolve()));
    const routeInput = new FakeRouteInput(() => held, routeIdentity("notify"));
    void source("sluice-event:*").start(routeInput);
    for (let i = 0; i < 1500; i++) events.emit(failed);
    release();
    await settle(20);
    expect(routeInput.exchanges.length).toBe(1000);
    expect(host.log.texts).toEqual(["Route 'notify' could not keep up; events dropped: 500"]);
  });

  it("receives nothing after it stopped, and rejects unknown event names", async () => {
    const { events, source } = setUp();
    const routeInput = new FakeRouteInput(undefined, routeIdentity("notify"));
    const listening = source("sluice-event:*");
    void listening.start(routeInput);
    void listening.stop();
    events.emit(failed);
    await settle();
    expect(routeInput.exchanges).toEqual([]);
    expect(() => source("sluice-event:runfailed")).toThrow(/unknown event/);
  });
});
