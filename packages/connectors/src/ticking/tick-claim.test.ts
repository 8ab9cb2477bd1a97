// Schedules whose ticks are claimed, as on the nodes of a cluster.
import { connectorUnderTest, FakeHost, FakeRouteInput } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { cron } from "../cron/cron.ts";
import { timer } from "../timer/timer.ts";

/** Starts a source on a node; `claimed` contains the claims of all nodes. */
function node(connector: typeof timer, uri: string, host: FakeHost, claimed: Set<string>) {
  const claims: string[] = [];
  const claimTick = async (tick: string | undefined, isPermanent = false): Promise<boolean> => {
    if (tick === undefined) return true;
    claims.push(`${tick}${isPermanent ? ", permanent" : ""}`);
    const isFirst = !claimed.has(tick);
    claimed.add(tick);
    return isFirst;
  };
  const routeInput = Object.assign(new FakeRouteInput(), { claimTick });
  const source = connectorUnderTest(connector, host).source(uri);
  void source.start(routeInput);
  return { routeInput, claims, source };
}

describe("a claimed schedule", () => {
  it("fires each period on exactly one of two nodes", async () => {
    const host = new FakeHost();
    const claimed = new Set<string>();
    const first = node(timer, "timer:t?delay=0&period=1s", host, claimed);
    await host.clock.advance(400);
    const second = node(timer, "timer:t?delay=0&period=1s", host, claimed);
    await host.clock.advance(20_000);
    expect(first.routeInput.exchanges.length + second.routeInput.exchanges.length).toBe(claimed.size);
    expect(claimed.size).toBeGreaterThanOrEqual(20);
    expect(new Set(first.claims).size).toBe(first.claims.length);
  });

  it("counts ticks with repeatCount over all nodes", async () => {
    const host = new FakeHost();
    const claimed = new Set<string>();
    const first = node(timer, "timer:t?delay=0&period=1s&repeatCount=3", host, claimed);
    await host.clock.advance(1_500);
    void first.source.stop();
    const second = node(timer, "timer:t?delay=0&period=1s&repeatCount=3", host, claimed);
    await host.clock.advance(10_000);
    expect([first.routeInput.exchanges.length, second.routeInput.exchanges.length]).toEqual([2, 1]);
    expect(second.claims).toEqual(["count 1, permanent", "count 2, permanent", "count 3, permanent"]);
  });

  it("claims the scheduled time of a cron expression", async () => {
    const host = new FakeHost();
    const claimed = new Set<string>();
    const nodes = [1, 2].map(() => node(cron as unknown as typeof timer, "cron:c?schedule=*/1 * * * * ?", host, claimed));
    await host.clock.advance(5_000);
    expect(nodes.flatMap(({ routeInput }) => routeInput.exchanges).length).toBe(claimed.size);
    expect(claimed.size).toBeGreaterThanOrEqual(4);
  });

  it("does not fire when the claim fails, and continues", async () => {
    const host = new FakeHost();
    let failing = true;
    const routeInput = Object.assign(new FakeRouteInput(), { claimTick: () => (failing ? Promise.reject(new Error("unreachable")) : Promise.resolve(true)) });
    void connectorUnderTest(timer, host).source("timer:t?delay=0&period=1s").start(routeInput);
    await host.clock.advance(3_000);
    expect(routeInput.exchanges).toEqual([]);
    failing = false;
    await host.clock.advance(2_000);
    expect(routeInput.exchanges.length).toBeGreaterThanOrEqual(1);
  });
});
