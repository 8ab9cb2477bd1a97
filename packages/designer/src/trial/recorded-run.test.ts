import { expect, test } from "vitest";
import type { RunDetail } from "@sluice/client";
import { openFlow } from "../document/open-flow.ts";
import { pathKey } from "@sluice/model";
import { sampleOfRun } from "./sample-of-run.ts";
import { recordedDetails, recordedSteps } from "./recorded-run.ts";

const source = `- route:
    id: r
    from:
      uri: webhook
      steps:
        - to: {id: call, uri: "http://x.invalid"}
        - choice:
            id: which
            when: [{simple: "\${body}", steps: [{log: {id: inner, message: x}}]}]
        - log: {id: rest, message: x}
`;
const step = (stepId: string, kind: string, status = "completed") => ({ stepId, kind, startedAt: "", durationMs: 1.26, status });
const message = (stepId: string, body: unknown, headers: Record<string, unknown> = {}) => ({ stepId, body, bodyType: "text", headers, properties: {} });
const run = {
  id: "run_1",
  routeId: "r",
  status: "failed",
  trigger: { uri: "webhook", method: "PUT" },
  error: { type: "t", message: "broke", stepId: "inner" },
  request: { contentType: "text/plain", preview: "beg" },
  steps: [step("call", "to"), step("which", "choice", "failed"), step("inner", "log", "failed"), step("gone", "log")],
  messages: [message("call", "in", { "X-Kind": "a", CamelHttpMethod: "PUT" }), message("which", { ok: true }, { CamelHttpResponseCode: 201 })],
} as unknown as RunDetail;

test("a run is mapped to the flow: visited steps, messages, and the failed step", () => {
  const outline = openFlow("f", source, undefined).lastValid?.outline;
  const steps = recordedSteps(run, outline);
  expect(steps.map(({ stepId, path, before, after, error }) => [stepId, path && pathKey(path), before?.body, after?.body, error])).toEqual([
    ["call", "0/route/from/steps/0", "in", { ok: true }, undefined],
    ["which", "0/route/from/steps/1", { ok: true }, undefined, undefined],
    ["inner", "0/route/from/steps/1/choice/when/0/steps/0", undefined, undefined, "broke"],
    ["gone", undefined, undefined, undefined, undefined],
  ]);
  const details = recordedDetails(steps);
  expect(details.get("0/route/from/steps/0")).toEqual({ summary: "1.3 ms" });
  expect(details.get("0/route/from/steps/1/choice/when/0/steps/0")).toEqual({ error: "broke" });
  expect(details.get("0/route/from/steps/2")).toEqual({ dimmed: true });
});

test("the steps of an error handler are found by their generated ids", () => {
  const outline = openFlow("f", `- onException: {exception: [java.lang.Exception], steps: [{log: x}]}\n${source}`, undefined).lastValid?.outline;
  const steps = recordedSteps({ ...run, steps: [step("call", "to", "failed"), step("onException1-log1", "log")] } as unknown as RunDetail, outline);
  expect(steps.map(({ path }) => path && pathKey(path))).toEqual(["1/route/from/steps/0", "0/onException/steps/0"]);
});

test("a run becomes a sample: its input without headers added by the runtime, and the responses", () => {
  const { sample, responses, note } = sampleOfRun(run);
  expect(sample).toMatchObject({ body: "in", bodyKind: "text", method: "PUT", headers: "X-Kind: a" });
  expect(responses).toEqual({ "r/call": { body: { ok: true }, headers: {}, status: 201, origin: "run" } });
  expect(note).toBeUndefined();
  const { messages: _, ...uncaptured } = run;
  expect(sampleOfRun(uncaptured as RunDetail)).toMatchObject({
    sample: { body: "beg", headers: "Content-Type: text/plain" },
    responses: {},
    note: expect.any(String),
  });
});
