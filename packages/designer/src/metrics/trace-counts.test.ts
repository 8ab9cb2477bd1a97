import type { TraceEvent } from "@sluice/client";
import { expect, test } from "vitest";
import { openFlow } from "../document/open-flow.ts";
import { metricDetails } from "./metric-details.ts";
import { TraceCounts } from "./trace-counts.ts";

const source = `- route: {id: r, from: {uri: webhook, steps: [{log: {id: first, message: x}}, {choice: {id: which, when: [{simple: "\${body}", steps: [{log: {id: inner, message: x}}]}]}}]}}\n`;
const outline = openFlow("f", source, undefined).lastValid?.outline ?? { routes: [], entities: [] };
const event = (type: string, stepId: string | undefined, durationMs = 1): TraceEvent => ({
  ...{ id: "b.1", at: "", type, flowId: "f", routeId: "r", durationMs },
  ...(stepId === undefined ? {} : { stepId }),
});

test("each execution of a step is counted on its card, with failures and the last duration; runs are counted on the trigger", () => {
  const counts = new TraceCounts();
  for (const data of [
    event("run.started", undefined),
    event("step.started", "first"),
    event("step.completed", "first", 3),
    event("step.completed", "first", 7),
    event("step.failed", "inner", 2),
    event("step.completed", "gone"),
    event("run.failed", undefined, 12),
  ])
    counts.add(data);
  expect([...counts.byCard(outline)]).toEqual([
    ["0/route/from", { count: 1, failed: 1, lastMs: 12 }],
    ["0/route/from/steps/0", { count: 2, failed: 0, lastMs: 7 }],
    ["0/route/from/steps/1/choice/when/0/steps/0", { count: 1, failed: 1, lastMs: 2 }],
  ]);
});

test("the number of counted steps is limited", () => {
  const counts = new TraceCounts();
  for (let index = 0; index < 6_000; index++) counts.add(event("step.completed", `s${index}`));
  counts.add(event("step.completed", "first"));
  counts.add(event("step.completed", "s0"));
  expect(counts.byCard(outline).size).toBe(0);
});

test("cards keep their details until their own values change", () => {
  const details = metricDetails();
  const first = "0/route/from/steps/0";
  let notified = 0;
  details.subscribe(() => notified++);
  details.showCounts(new Map([[first, { count: 2, failed: 1, lastMs: 7 }]]));
  const shown = details.get(first);
  expect(shown?.metrics).toMatchObject({ rate: "", failed: 1, seen: { count: 2 } });
  details.showCounts(new Map([[first, { count: 2, failed: 1, lastMs: 7 }]]));
  expect(details.get(first)).toBe(shown);
  details.show(new Map([[first, { messages: 5, perMinute: 5, failed: 3, p95Ms: 2 }]]));
  expect(details.get(first)?.metrics).toMatchObject({ rate: "5/min", failed: 3, p95: "2.0 ms", seen: { count: 2 } });
  details.showCounts(new Map());
  expect(details.get(first)?.metrics?.seen).toBeUndefined();
  expect(notified).toBe(4);
});
