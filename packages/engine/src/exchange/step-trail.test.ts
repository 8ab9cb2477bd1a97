import { describe, expect, it } from "vitest";
import { StepTrail } from "./step-trail.ts";

const first = { stepId: "first", kind: "log" };
const second = { stepId: "second", kind: "to" };

describe("step trail", () => {
  it("lists steps in start order with their current status", () => {
    const trail = new StepTrail();
    const outer = trail.begin(first, 1_000.5);
    const inner = trail.begin(second, 1_001);
    trail.end(inner, 2.25, true);
    expect(trail.records()).toEqual([
      { ...first, startedAt: 1_000.5, durationMs: 0, status: "running", attempts: 1 },
      { ...second, startedAt: 1_001, durationMs: 2.25, status: "failed", attempts: 1 },
    ]);
    expect(trail.retry(second, 3, 1_010)).toBe(inner);
    expect(trail.records()[1]).toMatchObject({ status: "running", attempts: 3 });
    trail.end(inner, 4, false);
    trail.end(outer, 5, false);
    expect(trail.records().map(({ status, attempts }) => [status, attempts])).toEqual([
      ["completed", 1],
      ["completed", 3],
    ]);
    expect(trail.records()[0]).not.toHaveProperty("tries");
    expect(trail.records()[1]?.tries).toEqual([
      { startedAt: 1_001, durationMs: 2.25 },
      { startedAt: 1_010, durationMs: 4 },
    ]);
    expect(trail.retry({ stepId: "third", kind: "to" }, 2, 1)).toBe(-1);
  });

  it("records at most 20 attempts of a step", () => {
    const trail = new StepTrail();
    const index = trail.begin(first, 0);
    trail.end(index, 1, true);
    for (let attempt = 2; attempt < 100; attempt++) trail.end(trail.retry(first, attempt, attempt * 10), 1, true);
    expect(trail.records()[0]).toMatchObject({ attempts: 99 });
    expect(trail.records()[0]?.tries).toHaveLength(20);
  });

  it("records at most 200 steps", () => {
    const trail = new StepTrail();
    const indexes = Array.from({ length: 250 }, () => trail.begin(first, 1));
    expect([indexes[199], indexes[200], trail.length, trail.records().length]).toEqual([199, -1, 200, 200]);
  });
});
