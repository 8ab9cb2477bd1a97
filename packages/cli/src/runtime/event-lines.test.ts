import type { Run } from "@sluice/client";
import { describe, expect, it } from "vitest";
import { routeWidthOf, runLine } from "./event-lines.ts";

const plain = (_style: unknown, text: string): string => text;
const run = (routeId: string, more: Partial<Run> = {}): Run =>
  ({ id: "run_1", routeId, status: "completed", startedAt: "2026-01-01T00:00:00.000Z", durationMs: 1.5, error: null, ...more }) as Run;

describe("lines of several runs", () => {
  it("have aligned columns", () => {
    const runs = [
      run("a"),
      run("orders-intake", { status: "failed", durationMs: 1234, error: { message: "boom" } as Run["error"] }),
      run("b", { durationMs: null }),
    ];
    const lines = runs.map((listed) => runLine(listed, plain, routeWidthOf(runs)));
    expect(lines).toEqual([
      "2026-01-01T00:00:00.000Z completed a             run_1    1.5 ms",
      "2026-01-01T00:00:00.000Z failed    orders-intake run_1   1234 ms boom",
      "2026-01-01T00:00:00.000Z completed b             run_1",
    ]);
  });

  it("do not widen for one very long id", () => {
    expect(routeWidthOf([run("x".repeat(100)), run("y")])).toBe(40);
  });
});
