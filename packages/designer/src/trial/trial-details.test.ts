import { expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import { trialDetails } from "./trial-details.ts";
import type { Trial, TrialStep } from "./trial.ts";

const message = (body: unknown) => ({ body, bodyType: "text" as const, truncated: false, headers: {}, properties: {}, variables: {} });
const step = (path: TrialStep["path"], body: unknown, error?: string): TrialStep => ({
  runId: "r",
  routeId: "r",
  stepId: "s",
  kind: "log",
  offset: 0,
  attempt: 1,
  before: message(null),
  after: message(body),
  error: error === undefined ? undefined : { type: "t", message: error },
  durationMs: 1,
  mock: undefined,
  unmocked: false,
  path,
});
const list = [0, "route", "from", "steps"];

test("a card shows the message after its step, its failure, or that it was not reached; without a trial it shows nothing", () => {
  const store = createStore<{ steps: readonly TrialStep[] }>(() => ({ steps: [] }));
  const details = trialDetails({ store } as unknown as Trial);
  expect(details.get("0/route/from/steps/0")).toBeUndefined();
  store.setState({
    steps: [
      step([...list, 0], "hello"),
      step([...list, 1], "a rather long message to show"),
      step([...list, 1], "again"),
      step([...list, 2, "choice", "otherwise", "steps", 0], "x", "broken"),
      step([...list, 2], "x", "broken"),
      step(undefined, "nowhere"),
    ],
  });
  expect(details.get("0/route/from")).toEqual({ count: 1 });
  expect(details.get("0/route/from/steps/0")).toEqual({ summary: "hello" });
  expect(details.get("0/route/from/steps/1")).toEqual({ summary: "2× again" });
  expect(details.get("0/route/from/steps/2/choice/otherwise/steps/0")).toEqual({ error: "broken" });
  expect(details.get("0/route/from/steps/2")).toEqual({ count: 1 });
  expect(details.get("0/route/from/steps/3")).toEqual({ dimmed: true });
});

test("unchanged details keep their identity", () => {
  const store = createStore<{ steps: readonly TrialStep[] }>(() => ({ steps: [step([...list, 0], "a"), step([...list, 1], "b")] }));
  const details = trialDetails({ store } as unknown as Trial);
  const [unchanged, changed] = [details.get("0/route/from/steps/0"), details.get("0/route/from/steps/1")];
  store.setState({ steps: [step([...list, 0], "a"), step([...list, 1], "c")] });
  expect(details.get("0/route/from/steps/0")).toBe(unchanged);
  expect(details.get("0/route/from/steps/1")).not.toBe(changed);
});
