import { describe, expect, it } from "vitest";
import { Exposition } from "./exposition.ts";
import { createRunCounts, durationBounds } from "./run-counts.ts";

const run = (id: string, durationMs: number, status = "completed", flowId = "f"): never =>
  ({ route: { id, flowId, flowHash: "h" }, startedAt: 1_000, endedAt: 1_000 + durationMs, status, redeliveries: 0 }) as never;

describe("run counts", () => {
  it("counts a run in the first bucket whose bound it does not exceed", () => {
    const counts = createRunCounts({ maxRoutes: 10, isInService: () => true });
    for (const durationMs of [0, 1, 2, 3, 60_000, 60_001, -5]) counts.ended(run("a", durationMs));
    const [only] = counts.list();
    expect(only?.buckets).toEqual([3, 1, 1, ...Array.from({ length: durationBounds.length - 4 }, () => 0), 1, 1]);
    expect(only?.durationMs).toBe(0 + 1 + 2 + 3 + 60_000 + 60_001);
  });

  it("continues counting when a route is replaced, and starts again when its name moves to another flow", () => {
    const counts = createRunCounts({ maxRoutes: 10, isInService: () => true });
    counts.ended(run("a", 1));
    counts.ended(run("a", 1, "failed"));
    expect(counts.list()).toMatchObject([{ completed: 1, failed: 1, flowId: "f" }]);
    counts.ended(run("a", 1, "completed", "g"));
    expect(counts.list()).toMatchObject([{ completed: 1, failed: 0, flowId: "g" }]);
  });

  it("limits the number of names: removed routes are dropped, then the rest is added up", () => {
    const removed = new Set<string>();
    const counts = createRunCounts({ maxRoutes: 3, isInService: (id) => !removed.has(id) });
    for (const id of ["a", "b", "c", "d", "e", "d"]) counts.ended(run(id, 1));
    expect(counts.list().map(({ routeId, completed }) => [routeId, completed])).toEqual([
      ["a", 1],
      ["b", 1],
      ["c", 1],
      ["_other", 3],
    ]);
    removed.add("a");
    counts.ended(run("f", 1));
    expect(counts.list().map(({ routeId }) => routeId)).toEqual(["b", "c", "f", "_other"]);
  });
});

describe("the text format", () => {
  it("has cumulative buckets and escaped label values", () => {
    const page = new Exposition();
    page.counter("c_total", "Help.", [[{ name: 'a"b\\c\nd' }, 1.5]]);
    page.histogram("h", "Help.", [0.1, 1], [{ labels: { x: "y" }, buckets: [2, 0, 1], sum: 0.1 + 0.2 }]);
    page.gauge("none", "Help.", []);
    expect(page.text).toBe(
      [
        "# HELP c_total Help.",
        "# TYPE c_total counter",
        String.raw`c_total{name="a\"b\\c\nd"} 1.5`,
        "# HELP h Help.",
        "# TYPE h histogram",
        'h_bucket{x="y",le="0.1"} 2',
        'h_bucket{x="y",le="1"} 2',
        'h_bucket{x="y",le="+Inf"} 3',
        'h_sum{x="y"} 0.3',
        'h_count{x="y"} 3',
        "",
      ].join("\n"),
    );
  });
});
