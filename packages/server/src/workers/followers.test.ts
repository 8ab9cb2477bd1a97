import { describe, expect, it } from "vitest";
import { RouteCounts } from "../metrics/run-counts.ts";
import { Calls } from "./calls.ts";
import { Followers } from "./followers.ts";
import type { ChangedMetrics } from "./messages.ts";

function metricsOf(routeId: string, completed: number, inflight = 0): ChangedMetrics {
  const counts = Object.assign(new RouteCounts(routeId, "flow"), { completed });
  return { counts: [counts], routes: [{ id: routeId, flowHash: "h", inflight, total: completed + inflight, failed: 0, lastRunAt: 1, lastError: undefined }] };
}

describe("the ready followers", () => {
  it("keep the summed counts of all exited workers", () => {
    const followers = new Followers(new Calls(1, () => undefined));
    for (let follower = 2; follower < 302; follower++) {
      followers.add(follower);
      followers.record(follower, metricsOf("orders", 3));
      followers.record(follower, metricsOf("orders", 5, 1));
      followers.record(follower, metricsOf("stock", 1));
      const routes = followers.removeExited(follower);
      expect(routes.map(({ id, total, inflight }) => [id, total, inflight])).toEqual([
        ["orders", 6, 1],
        ["stock", 1, 0],
      ]);
    }
    expect(followers.size).toBe(0);
    expect(followers.exitedCounts.map(({ routeId, completed }) => [routeId, completed])).toEqual([
      ["orders", 1_500],
      ["stock", 300],
    ]);
  });

  it("add nothing for a worker that never reported", () => {
    const followers = new Followers(new Calls(1, () => undefined));
    followers.add(2);
    expect(followers.removeExited(2)).toEqual([]);
    expect(followers.exitedCounts).toEqual([]);
  });
});
