import { Message, type Exchange } from "@sluice/engine";
import { flow, type FlowUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createRunHistory, type RunHistory } from "./run-history.ts";
import { stepTap } from "./step-tap.ts";

interface RecordedFlow {
  readonly history: RunHistory;
  readonly mocks: FlowUnderTest["mocks"];
  /** Sends a message through the route as the service does. */
  pass(body: unknown): Promise<Exchange>;
  advance(ms: number): Promise<void>;
}

async function recordFlow(steps: string, perRoute: number): Promise<RecordedFlow> {
  const history = createRunHistory({ perRoute, total: 10_000, bytes: 1e9 });
  const { runtime, host, mocks } = await flow(steps, { listener: history });
  runtime.tap(stepTap);
  const routeInput = runtime.routeInputOf("direct:start");
  if (routeInput === undefined) throw new Error("the route has no input");
  return { history, mocks, pass: async (body) => routeInput.deliver(new Message(body)), advance: (ms) => host.clock.advance(ms) };
}

const stepsOf = (history: RunHistory, id: string): readonly string[] | undefined =>
  history.find(id)?.steps.map(({ stepId, status, attempts }) => `${stepId} ${status} ${attempts}`);

describe("steps of runs", () => {
  it("belong to their run, even if records are evicted and recreated", async () => {
    const { history, pass } = await recordFlow(
      `
- choice:
    when: [{simple: "\${body} == 'long'", steps: [{setBody: {constant: a}}, {setBody: {constant: b}}]}]
- doTry:
    steps: [{throwException: {exceptionType: java.lang.Exception, message: no}}]
    doCatch: [{exception: [java.lang.Exception], steps: [{setBody: {constant: caught}}]}]
`,
      2,
    );
    const ids: string[] = [];
    for (const body of ["long", "short", "long", "short", "short"]) ids.push((await pass(body)).run.id);
    expect(history.matching({}).map(({ id }) => id)).toEqual(ids.slice(-2).toReversed());
    const short = ["choice1 completed 1", "doTry1 completed 1", "throwException1 failed 1", "setBody3 completed 1"];
    expect(stepsOf(history, ids[4] as string)).toEqual(short);
    const last = (await pass("long")).run.id;
    expect(stepsOf(history, last)).toEqual(["choice1 completed 1", "setBody1 completed 1", "setBody2 completed 1", ...short.slice(1)]);
  });

  it("are not mixed with those of an ended run whose step ends late", async () => {
    const { history, pass, advance } = await recordFlow(
      `
- multicast:
    parallelProcessing: true
    timeout: 20
    steps:
      - pipeline: {steps: [{delay: {constant: "100"}}, {setBody: {constant: late}}]}
`,
      1,
    );
    const first = pass("one");
    await advance(50);
    await first;
    const second = pass("two");
    await advance(50);
    const { run } = await second;
    const before = stepsOf(history, run.id);
    expect(before).toEqual(["multicast1 completed 1", "pipeline1 running 1", "delay1 running 1"]);
    // The first delay is over, the second is not.
    await advance(10);
    expect(stepsOf(history, run.id)).toEqual(before);
  });

  it("do not appear in another run whose record was evicted", async () => {
    const { pass, advance, mocks } = await recordFlow(
      `
- onCompletion: {steps: [{delay: {constant: "100"}}, {setBody: {simple: "\${messageHistory}"}}, {to: "mock:over"}]}
- route:
    id: start
    from: {uri: "direct:start", steps: [{choice: {when: [{simple: "\${body} == 'odd'", steps: [{log: {id: private, message: x}}]}]}}]}
`,
      1,
    );
    const lastBody = (): unknown => mocks.get("over")?.at(-1)?.body;
    await pass("even");
    await advance(150);
    expect(lastBody()).toMatch(/\[choice1\].*delay1\].*setBody1\]/s);
    await pass("even");
    await advance(50);
    await pass("odd");
    await advance(60);
    expect(lastBody()).not.toContain("private");
    expect(mocks.get("over")).toHaveLength(2);
  });
});
