import { describe, expect, it } from "vitest";
import type { Run, RunStep } from "@sluice/client";
import { openFlow } from "../document/open-flow.ts";
import type { Outline } from "@sluice/model";
import { layerDetails, type CardDetails } from "../canvas/card-details.ts";
import { formatRate, metricDetails } from "./metric-details.ts";
import { stepMetrics, type TrafficData } from "./step-metrics.ts";

const source = `- route:
    id: r
    from:
      uri: webhook
      steps:
        - to: {id: call, uri: "http://x.invalid"}
        - choice:
            id: which
            when: [{simple: "\${body}", steps: [{log: {id: inner, message: x}}]}]
- from:
    uri: direct:quiet
    steps: [{log: {id: call, message: another route's step of the same name}}]
`;
const outline = openFlow("f", source, undefined).lastValid?.outline as Outline;
const trigger = "0/route/from";
const call = "0/route/from/steps/0";
const which = "0/route/from/steps/1";
const inner = "0/route/from/steps/1/choice/when/0/steps/0";

const startedAt = "2026-01-01T00:00:00.000Z";
/** The runtime has run for one hour; `ago` is in seconds before now. */
const at = (ago: number): string => new Date(Date.parse(startedAt) + 3_600_000 - ago * 1_000).toISOString();
const step = (stepId: string, durationMs: number, status: RunStep["status"] = "completed"): RunStep => ({
  ...{ stepId, kind: "log", startedAt: "", durationMs, status },
  attempts: 1,
});
const run = (ago: number, parts: Partial<Run> = {}): Run =>
  ({
    id: `run_${ago}`,
    routeId: "r",
    flowHash: "new",
    status: "completed",
    startedAt: at(ago),
    durationMs: 4,
    steps: [step("call", 2)],
    sessionId: null,
    ...parts,
  }) as Run;
const traffic = (runs: readonly Run[], total = runs.length, deployedAgo = 1_800): TrafficData => ({
  runs,
  health: { startedAt, uptime: 3_600, routes: [{ id: "r", flowId: "f", status: "Started", uptime: 0, inflight: 0, total, failed: 0, lastRunAt: null }] },
  deployed: { hash: "new", lastModified: at(deployedAgo) },
});

describe("the metrics of a deployed flow", () => {
  it("count the messages of the last five minutes, by step and by trigger", () => {
    const metrics = stepMetrics(traffic([run(10), run(20, { durationMs: 8, steps: [step("call", 6)] }), run(299), run(301)]), outline);
    expect(metrics.get(trigger)).toEqual({ messages: 3, perMinute: 0.6, failed: 0, p95Ms: 8 });
    expect(metrics.get(call)).toEqual({ messages: 3, perMinute: 0.6, failed: 0, p95Ms: 6 });
    expect([...metrics.keys()]).toEqual([trigger, call]);
  });

  it("exclude runs before the deployment, test runs, and steps that are not in the flow", () => {
    const metrics = stepMetrics(
      traffic([run(5, { flowHash: "old" }), run(6, { sessionId: "ses_1" }), run(7, { steps: [step("gone", 1)] }), run(8, { routeId: "elsewhere" })], 3),
      outline,
    );
    expect([...metrics]).toEqual([[trigger, { messages: 1, perMinute: 0.2, failed: 0, p95Ms: 4 }]]);
  });

  it("count a failure where it happened, not at the surrounding steps", () => {
    const failed = run(5, { status: "failed", steps: [step("call", 1), step("which", 3, "failed"), step("inner", 2, "failed")] });
    const metrics = stepMetrics(traffic([failed, run(6, { steps: [step("call", 1, "failed")], status: "completed" })]), outline);
    expect([trigger, call, which, inner].map((key) => metrics.get(key)?.failed)).toEqual([1, 1, 0, 1]);
  });

  it("compute the p95 of durations in any order", () => {
    const runs = Array.from({ length: 100 }, (_, index) => run(1 + index, { durationMs: ((index * 37) % 100) + 1 }));
    expect(stepMetrics(traffic(runs), outline).get(trigger)?.p95Ms).toBe(95);
  });

  it("count messages in flight without a duration", () => {
    const metrics = stepMetrics(traffic([run(1, { status: "running", durationMs: null, steps: [step("call", 0, "running")] })]), outline);
    expect(metrics.get(trigger)).toMatchObject({ messages: 1, p95Ms: undefined });
    expect(metrics.get(call)).toMatchObject({ messages: 1, p95Ms: undefined });
  });

  it("compute the rate over the time covered by the stored runs", () => {
    const busy = Array.from({ length: 60 }, (_, index) => run((index + 1) / 10));
    // The runtime counted a thousand runs and kept the newest sixty, which took six seconds.
    expect(stepMetrics(traffic(busy, 1_000), outline).get(trigger)?.perMinute).toBeCloseTo(600);
    // All of them are stored: sixty in five minutes.
    expect(stepMetrics(traffic(busy, 60), outline).get(trigger)?.perMinute).toBeCloseTo(12);
    // For a flow deployed two minutes ago, the rate covers two minutes; for one deployed ten seconds ago, it covers the minimum of one minute.
    expect(stepMetrics(traffic(busy, 60, 120), outline).get(trigger)?.perMinute).toBeCloseTo(30);
    expect(stepMetrics(traffic(busy, 60, 10), outline).get(trigger)?.perMinute).toBeCloseTo(60);
  });
});

describe("metrics on cards", () => {
  it.each([
    [0.2, "0.2/min"],
    [9.96, "10/min"],
    [119, "119/min"],
    [120, "2.0/s"],
    [6_000, "100/s"],
  ])("%d a minute is shown as %s", (perMinute, shown) => expect(formatRate(perMinute)).toBe(shown));

  it("change only where values differ, and are overridden by a trial", () => {
    const details = metricDetails();
    let notified = 0;
    details.subscribe(() => notified++);
    const metrics = { messages: 3, perMinute: 0.6, failed: 1, p95Ms: 2.34 };
    details.show(new Map([["a", metrics]]));
    const first = details.get("a");
    expect(first?.metrics).toEqual({ rate: "0.6/min", failed: 1, p95: "2.3 ms", tooltip: "Last 5 minutes: 3 messages, 1 failed, p95 latency 2.3 ms" });
    details.show(
      new Map([
        ["a", { ...metrics }],
        ["b", metrics],
      ]),
    );
    expect(details.get("a")).toBe(first);
    expect(notified).toBe(2);
    const trial: CardDetails = { summary: "tried" };
    const layered = layerDetails({ get: (key) => (key === "a" ? trial : undefined), subscribe: () => () => undefined }, details);
    expect([layered.get("a"), layered.get("b")?.metrics?.rate, layered.get("c")]).toEqual([trial, "0.6/min", undefined]);
    details.show(new Map());
    expect(details.get("a")).toBeUndefined();
  });
});
