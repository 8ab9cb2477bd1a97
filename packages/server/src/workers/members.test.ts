import { describe, expect, it } from "vitest";
import { RouteCounts } from "../metrics/run-counts.ts";
import { Calls } from "./calls.ts";
import { Members } from "./members.ts";
import type { ChangedMetrics } from "./messages.ts";

function metricsOf(routeId: string, completed: number, inflight = 0): ChangedMetrics {
  const counts = Object.assign(new RouteCounts(routeId, "flow"), { completed });
  return { counts: [counts], routes: [{ id: routeId, flowHash: "h", inflight, total: completed + inflight, failed: 0, lastRunAt: 1, lastError: undefined }] };
}

describe("members", () => {
  it("keep the summed counts of all exited workers", () => {
    const members = new Members(new Calls(1, () => undefined));
    for (let member = 2; member < 302; member++) {
      members.add(member);
      members.record(member, metricsOf("orders", 3));
      members.record(member, metricsOf("orders", 5, 1));
      members.record(member, metricsOf("stock", 1));
      const routes = members.removeExited(member);
      expect(routes.map(({ id, total, inflight }) => [id, total, inflight])).toEqual([
        ["orders", 6, 1],
        ["stock", 1, 0],
      ]);
    }
    expect(members.size).toBe(0);
    expect(members.exitedCounts.map(({ routeId, completed }) => [routeId, completed])).toEqual([
      ["orders", 1_500],
      ["stock", 300],
    ]);
  });

  it("add nothing for a worker that never reported", () => {
    const members = new Members(new Calls(1, () => undefined));
    members.add(2);
    expect(members.removeExited(2)).toEqual([]);
    expect(members.exitedCounts).toEqual([]);
  });
});
