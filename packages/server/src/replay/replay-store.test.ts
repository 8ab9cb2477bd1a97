import { Exchange, FlowError, Message, Run } from "@sluice/engine";
import { describe, expect, it } from "vitest";
import { ReplayStore } from "./replay-store.ts";

const routeOf = (id: string): Run["route"] => ({ id, flowId: id, flowHash: "" });

interface RunOptions {
  readonly failed?: boolean;
  readonly sessionId?: string;
}

/** Records a run that ended at `endedAt` and whose body is its id. */
function recordRun(replayStore: ReplayStore, route: Run["route"], id: string, endedAt: number, { failed = false, sessionId }: RunOptions = {}): void {
  const session = sessionId === undefined ? undefined : { id: sessionId, skipTime: false };
  const run = new Run(id, route, endedAt, { uri: "webhook" }, undefined, session);
  const exchange = new Exchange(id, run, "InOut", new Message("in"));
  replayStore.started(run, exchange);
  exchange.message.body = id;
  run.endedAt = endedAt;
  run.status = failed ? "failed" : "completed";
  if (failed) run.failure = exchange.failure = new FlowError("java.lang.Exception", "no");
  replayStore.ended(run, exchange);
}

const idsOf = (count: number, prefix: string): readonly string[] => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe("the replay store", () => {
  it("keeps input and outcome of a run", () => {
    const replayStore = new ReplayStore(1_000_000);
    recordRun(replayStore, routeOf("a"), "one", 5);
    expect(new TextDecoder().decode(replayStore.input("one")?.body)).toBe("in");
    expect(replayStore.outcome("one")).toMatchObject({ status: "completed", body: "one", error: null });
    expect(replayStore.outcome("two")).toBeUndefined();
  });

  it("keeps the first 50 runs of a busy route, then one run per 20 ms", () => {
    const replayStore = new ReplayStore(1_000_000);
    const busy = routeOf("busy");
    const ids = idsOf(2_000, "run");
    for (const [index, id] of ids.entries()) recordRun(replayStore, busy, id, 1_000 + index / 10);
    const stored = ids.filter((id) => replayStore.input(id) !== undefined);
    expect(stored.slice(0, 50)).toEqual(ids.slice(0, 50));
    const sampledTimes = stored.slice(50).map((id) => 1_000 + Number(id.slice(4)) / 10);
    expect(sampledTimes.length).toBe(9);
    for (const [index, at] of sampledTimes.entries()) expect(at - (index === 0 ? 1_004.9 : (sampledTimes[index - 1] as number))).toBeGreaterThanOrEqual(20);
  });

  it("keeps runs of a quiet route next to a busy one, runs of test sessions, and runs after the clock was set back", () => {
    const replayStore = new ReplayStore(1_000_000);
    const busy = routeOf("busy");
    for (const id of idsOf(60, "run")) recordRun(replayStore, busy, id, 1_000);
    recordRun(replayStore, routeOf("quiet"), "quiet", 1_000);
    recordRun(replayStore, busy, "tested", 1_000, { sessionId: "ts_1" });
    expect(replayStore.input("run-59")).toBeUndefined();
    expect(replayStore.input("quiet")).toBeDefined();
    expect(replayStore.input("tested")).toBeDefined();
    recordRun(replayStore, busy, "earlier", 10);
    expect(replayStore.input("earlier")).toBeDefined();
  });

  it("keeps every failed run", () => {
    const replayStore = new ReplayStore(1_000_000);
    const busy = routeOf("busy");
    const ids = idsOf(300, "failed");
    for (const id of ids) recordRun(replayStore, busy, id, 1_000, { failed: true });
    expect(ids.every((id) => replayStore.outcome(id)?.error?.message === "no")).toBe(true);
  });
});
