import type { Run } from "@sluice/client";
import { outlineOf, readTree, type Tree } from "@sluice/model";
import { expect, test } from "vitest";
import { recordedSteps } from "./recorded-run.ts";
import { waterfallRows } from "./waterfall.ts";

const at = (ms: number): string => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
const step = (stepId: string, from: number, durationMs: number) => ({ stepId, kind: "to", startedAt: at(from), durationMs, status: "completed", attempts: 1 });
const run = (id: string, more: object): Run =>
  ({
    id,
    routeId: id,
    flowId: "f",
    startedAt: at(0),
    endedAt: at(100),
    durationMs: 100,
    parentRunId: null,
    trigger: { uri: `direct:${id}` },
    error: null,
    ...more,
  }) as Run;

const text = `- route:
    id: main
    from:
      uri: webhook
      steps:
        - filter:
            id: only
            simple: "true"
            steps:
              - to: {id: call, uri: "direct:sub"}
        - wireTap: {id: copy, uri: "seda:later"}
`;
const isRouteCall = (uri: string): boolean => /^(direct|seda):/.test(uri);
const outline = outlineOf(readTree(text).tree as Tree, "main");

test("called routes are rows below the step that called them, including those that run after it; bars are at the recorded times", () => {
  const main = run("main", { steps: [step("only", 0, 60), step("call", 10, 50), step("copy", 60, 1)] });
  const sub = run("sub", { parentRunId: "main", startedAt: at(20), durationMs: 30, steps: [step("inner", 25, 20)] });
  // A queued message has no parent run.
  const later = run("later", { startedAt: at(150), durationMs: 50, trigger: { uri: "seda:later" }, steps: [] });
  const unrelated = run("unrelated", { parentRunId: "other", steps: [] });
  const rows = waterfallRows({ run: main, steps: recordedSteps(main as never, outline), chain: [later, unrelated, sub, main], outline, isRouteCall });
  const shown = rows.map(
    (row) =>
      `${"  ".repeat(row.depth)}${row.kind === "route" ? `route ${row.run.routeId}` : row.step.stepId} ${row.bars.map(({ start, length }) => `${start} ${length}`).join(", ")}`,
  );
  expect(shown).toEqual(["only 0 0.3", "  call 0.05 0.25", "    route sub 0.1 0.15", "      inner 0.125 0.1", "copy 0.3 0.005", "  route later 0.75 0.25"]);
});
