import { Message, type Exchange } from "@sluice/engine";
import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createRunHistory, type RunHistory } from "./run-history.ts";
import { stepTap } from "./step-tap.ts";

interface Noted {
  readonly history: RunHistory;
  /** Runs a message through the route as the service does. */
  pass(body: unknown): Promise<Exchange>;
  advance(ms: number): Promise<void>;
}

async function noted(steps: string, perRoute: number): Promise<Noted> {
  const { runtime, host } = await flow(steps);
  runtime.tap(stepTap);
  const inlet = runtime.inletOf("direct:start");
  if (inlet === undefined) throw new Error("the route has no inlet");
  const history = createRunHistory({ perRoute, total: 10_000, bytes: 1e9 });
  const delivery = { started: (exchange: Exchange): void => history.started(exchange.run, exchange) };
  return {
    history,
    async pass(body) {
      const exchange = await inlet.deliver(new Message(body), delivery);
      history.ended(exchange.run, exchange);
      return exchange;
    },
    advance: (ms) => host.clock.advance(ms),
  };
}

const stepsOf = (history: RunHistory, id: string): readonly string[] | undefined =>
  history.find(id)?.steps.map(({ stepId, status, attempts }) => `${stepId} ${status} ${attempts}`);

describe("steps of runs", () => {
  it("are those of the run, however often its place in the history was somebody else's before", async () => {
    const { history, pass } = await noted(
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
    expect(history.list({ limit: 10 }).runs.map(({ id }) => id)).toEqual(ids.slice(-2).toReversed());
    const short = ["choice1 completed 1", "doTry1 completed 1", "throwException1 failed 1", "setBody3 completed 1"];
    expect(stepsOf(history, ids[4] as string)).toEqual(short);
    const last = (await pass("long")).run.id;
    expect(stepsOf(history, last)).toEqual(["choice1 completed 1", "setBody1 completed 1", "setBody2 completed 1", ...short.slice(1)]);
  });

  it("are not mixed with those of a run that is over and whose place they have, although a step of it ends only now", async () => {
    const { history, pass, advance } = await noted(
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
    // The first one's delay is over, the second one's is not.
    await advance(10);
    expect(stepsOf(history, run.id)).toEqual(before);
  });
});
