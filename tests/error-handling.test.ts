// Error handling of flows: redelivery of the failed step, clauses, dead letters, scopes. Each test is a flow.
import { describe, expect, it } from "vitest";
import { diagnosticsOf, flow } from "@sluice/testkit";
import { mockBodies, withAdvancingClock } from "./advancing-clock.ts";

const throws = (message: string, type = "java.lang.IllegalArgumentException"): string => `throwException: {exceptionType: ${type}, message: ${message}}`;

describe("an unhandled failure", () => {
  it("ends the run and names the step", async () => {
    const run = await flow(`
      - to: mock:before
      - ${throws("boom")}
      - to: mock:after
    `);
    const outcome = await run({ body: "x" });
    expect(outcome.error).toBe("boom");
    expect(outcome.exchange.failure).toMatchObject({ type: "java.lang.IllegalArgumentException", stepId: "throwException1", routeId: "start" });
    expect(mockBodies(run, "before")).toEqual(["x"]);
    expect(run.mocks.has("after")).toBe(false);
    expect(run.runtime.routes.get("start")?.stats).toMatchObject({ total: 1, failed: 1, inflight: 0 });
  });
});

describe("onException", () => {
  it("handled: the caller gets the message that the clause's steps produce, and the route ends", async () => {
    const run = await flow(`
      - onException:
          exception: [java.lang.Exception]
          handled: {constant: "true"}
          steps:
            - setBody: {simple: "sorry: \${exception.message}"}
      - from:
          uri: direct:start
          steps:
            - ${throws("boom")}
            - to: mock:after
    `);
    const outcome = await run({ body: "x" });
    expect(outcome).toMatchObject({ body: "sorry: boom", error: undefined });
    expect(run.mocks.has("after")).toBe(false);
    expect(outcome.exchange.run).toMatchObject({ status: "completed", handled: true });
  });

  it("continued: the route continues after the failed step", async () => {
    const run = await flow(`
      - onException:
          exception: [java.lang.Exception]
          continued: {constant: "true"}
      - from:
          uri: direct:start
          steps:
            - ${throws("boom")}
            - to: mock:after
    `);
    expect((await run({ body: "x" })).error).toBeUndefined();
    expect(mockBodies(run, "after")).toEqual(["x"]);
  });

  it("the most specific exception type wins, regardless of the order of the clauses", async () => {
    const clause = (type: string, text: string): string => `
      - onException:
          exception: [${type}]
          handled: {constant: "true"}
          steps: [{setBody: {constant: ${text}}}]`;
    const run =
      await flow(`${clause("java.lang.Exception", "far")}${clause("java.lang.IllegalArgumentException", "near")}${clause("java.lang.RuntimeException", "middle")}
      - from:
          uri: direct:start
          steps: [{${throws("x")}}]
    `);
    expect((await run()).body).toBe("near");
  });

  it("a failure inside the clause is the result and is not handled by another clause", async () => {
    const run = await flow(`
      - onException:
          exception: [java.lang.IllegalArgumentException]
          handled: {constant: "true"}
          steps: [{${throws("second", "java.io.IOException")}}]
      - onException:
          exception: [java.io.IOException]
          handled: {constant: "true"}
          steps: [{to: mock:never}]
      - from:
          uri: direct:start
          steps: [{${throws("first")}}]
    `);
    expect((await run()).error).toBe("second");
    expect(run.mocks.has("never")).toBe(false);
  });

  it("a clause without effect and an unknown exception are rejected with their line", () => {
    const withClause = (clause: string): string => `- onException: ${clause}\n- from: {uri: direct:start, steps: [{log: x}]}\n`;
    expect(diagnosticsOf(withClause("{exception: [java.lang.Exception]}"))).toEqual(["1: onException has no effect"]);
    expect(diagnosticsOf(withClause("{exception: [java.lang.Exceptoin], handled: {constant: 'true'}}"))).toEqual([
      "1: unknown exception type 'java.lang.Exceptoin' (did you mean 'java.lang.Exception'?)",
    ]);
    expect(diagnosticsOf(withClause("{exception: [java.lang.Exception], useOriginalMessage: true}"))).toEqual([]);
  });

  it("the original message and the original body exclude each other, in a clause and in a dead letter channel", () => {
    const both = "useOriginalMessage: true, useOriginalBody: true";
    const route = "- from: {uri: direct:start, steps: [{log: x}]}\n";
    const fault = "1: useOriginalMessage and useOriginalBody cannot be used together";
    expect(diagnosticsOf(`- onException: {exception: [java.lang.Exception], ${both}, steps: [{log: y}]}\n${route}`)).toEqual([fault]);
    expect(diagnosticsOf(`- errorHandler: {deadLetterChannel: {deadLetterUri: "mock:dead", ${both}}}\n${route}`)).toEqual([fault]);
  });
});

it("an endpoint pattern that is not a valid regular expression matches only itself", async () => {
  const run = await flow(
    "- interceptSendToEndpoint: {uri: '[', skipSendToOriginalEndpoint: true, steps: [{to: 'mock:instead'}]}\n- from: {uri: 'direct:start', steps: [{to: 'mock:a'}]}\n",
  );
  await run({ body: "x" });
  expect([mockBodies(run, "a"), mockBodies(run, "instead")]).toEqual([["x"], []]);
});

describe("redelivery", () => {
  it("is logged as its policy specifies: level, interval and outcome", async () => {
    const failing = async (handler: string, extra = ""): Promise<string[]> => {
      const run = await flow(`- errorHandler: {${handler}}\n${extra}- from: {uri: "direct:start", steps: [{${throws("down", "java.io.IOException")}}]}\n`);
      await withAdvancingClock(run, run({ body: "x" }));
      return run.host.log.records.map(({ level, text }) => `${level} ${text}`);
    };
    const location = "Route 'test' failed at step 'throwException1': down";
    const policy = "maximumRedeliveries: 3, redeliveryDelay: 100";
    expect(await failing(`defaultErrorHandler: {redeliveryPolicy: {${policy}, retryAttemptedLogLevel: warn, retryAttemptedLogInterval: 3}}`)).toEqual([
      `WARN ${location} (attempt 1 failed, next attempt in 100 ms)`,
      `WARN ${location} (attempt 3 failed, next attempt in 100 ms)`,
    ]);
    expect(await failing(`defaultErrorHandler: {redeliveryPolicy: {${policy}, retryAttemptedLogLevel: WARN, logRetryAttempted: false}}`)).toEqual([]);
    expect(await failing(`defaultErrorHandler: {redeliveryPolicy: {${policy}, retryAttemptedLogLevel: "OFF"}}`)).toEqual([]);
    const deadLetter = `deadLetterUri: "mock:dead", redeliveryPolicy: {maximumRedeliveries: 0, logHandled: true`;
    expect(await failing(`deadLetterChannel: {${deadLetter}, retriesExhaustedLogLevel: INFO}}`)).toEqual([
      `INFO ${location} (sent to the dead letter endpoint)`,
    ]);
    expect(
      await failing(
        "defaultErrorHandler: {}",
        "- onException: {exception: [java.io.IOException], continued: {constant: 'true'}, redeliveryPolicy: {logContinued: true}}\n",
      ),
    ).toEqual([`ERROR ${location} (the route continues)`]);
  });

  it("rejects an invalid level", () => {
    const policy = "{redeliveryPolicy: {retryAttemptedLogLevel: loud}}";
    expect(diagnosticsOf(`- errorHandler: {defaultErrorHandler: ${policy}}\n- from: {uri: "direct:start", steps: [{log: x}]}\n`)).toEqual([
      expect.stringContaining("retryAttemptedLogLevel"),
    ]);
  });

  it("repeats the failed step only, at 0, 100, 300 and 700 ms", async () => {
    const run = await flow(`
      - errorHandler:
          defaultErrorHandler:
            redeliveryPolicy: {maximumRedeliveries: 3, redeliveryDelay: 100, useExponentialBackOff: true, backOffMultiplier: 2}
      - from:
          uri: direct:start
          steps:
            - to: mock:once
            - to: direct:failing
      - route:
          id: failing
          errorHandler: {noErrorHandler: {}}
          from:
            uri: direct:failing
            steps:
              - setProperty: {name: at, simple: "\${date:now:SSS}"}
              - to: mock:tried
              - ${throws("down", "java.io.IOException")}
    `);
    const startTime = run.host.clock.monotonic();
    const outcome = await withAdvancingClock(run, run({ body: "x" }));
    expect(outcome.error).toBe("down");
    expect(mockBodies(run, "once")).toEqual(["x"]);
    expect(mockBodies(run, "tried")).toHaveLength(4);
    expect(run.host.clock.monotonic() - startTime).toBeGreaterThanOrEqual(700);
    expect(run.host.clock.monotonic() - startTime).toBeLessThan(1000);
    expect(outcome.exchange.run.redeliveries).toBe(3);
  });

  it("each attempt sees the message as it was before the step, with the counter", async () => {
    const run = await flow(`
      - errorHandler:
          defaultErrorHandler:
            redeliveryPolicy: {maximumRedeliveries: 2, redeliveryDelay: 0}
      - from:
          uri: direct:start
          steps:
            - to: direct:changing
      - route:
          id: changing
          errorHandler: {noErrorHandler: {}}
          from:
            uri: direct:changing
            steps:
              - to: mock:seen
              - setBody: {constant: changed}
              - setHeader: {name: extra, constant: "1"}
              - ${throws("no")}
    `);
    await withAdvancingClock(run, run({ body: "x" }));
    expect((run.mocks.get("seen") ?? []).map(({ body, headers }) => [body, headers["extra"], headers["CamelRedeliveryCounter"]])).toEqual([
      ["x", undefined, undefined],
      ["x", undefined, 1],
      ["x", undefined, 2],
    ]);
  });
});

describe("dead letter channel", () => {
  const channel = (extra = ""): string => `
      - errorHandler:
          deadLetterChannel: {deadLetterUri: direct:dead${extra}}
      - from:
          uri: direct:start
          steps:
            - setBody: {constant: changed}
            - ${throws("boom")}
      - from:
          uri: direct:dead
          steps:
            - setHeader: {name: why, simple: "\${exception.message}"}
            - to: mock:dead`;

  it("receives the message once and the caller gets no failure", async () => {
    const run = await flow(channel());
    const outcome = await run({ body: "original" });
    expect(outcome.error).toBeUndefined();
    expect(mockBodies(run, "dead")).toEqual(["changed"]);
    expect(run.mocks.get("dead")?.[0]?.headers["why"]).toBe("boom");
  });

  it("passes on the original message if configured", async () => {
    const run = await flow(channel(", useOriginalMessage: true"));
    await run({ body: "original" });
    expect(mockBodies(run, "dead")).toEqual(["original"]);
  });

  it("a failing dead letter endpoint is reported as a failure", async () => {
    const run = await flow(`
      - errorHandler:
          deadLetterChannel: {deadLetterUri: direct:dead}
      - from:
          uri: direct:start
          steps: [{${throws("boom")}}]
      - route:
          id: dead
          errorHandler: {noErrorHandler: {}}
          from:
            uri: direct:dead
            steps: [{${throws("store is full", "java.io.IOException")}}]
    `);
    expect((await run()).error).toBe("store is full");
  });
});

describe("limits", () => {
  it("a route that calls itself ends with 'call depth'", async () => {
    const run = await flow(`
      - from:
          uri: direct:start
          steps: [{to: direct:start}]
    `);
    const outcome = await run();
    expect(outcome.error).toMatch(/^call depth/);
    expect(run.runtime.routes.get("test")?.stats.inflight).toBe(0);
  });

  it("a run over its time limit is cancelled and reported to its caller, and no later step runs", async () => {
    const run = await flow(
      `
      - delay: {constant: "60000"}
      - to: mock:never
    `,
      { limits: { runMs: 1000 } },
    );
    const outcome = await withAdvancingClock(run, run(), 5_000);
    expect(outcome.error).toBe("time limit: the run took longer than 1000 ms");
    await run.host.clock.advance(100_000);
    expect(run.mocks.has("never")).toBe(false);
  });

  it("more runs in flight than allowed are rejected with a message", async () => {
    const run = await flow(`- delay: {constant: "1000"}`, { limits: { inflightPerRoute: 2 } });
    const waiting = [run(), run()];
    const third = await run();
    expect(third.exchange.failure?.code).toBe("limit-inflight");
    await withAdvancingClock(run, Promise.all(waiting));
  });
});

describe("onCompletion", () => {
  it("rejects onCompleteOnly together with onFailureOnly", () => {
    const faults = diagnosticsOf(`
      - onCompletion: {onCompleteOnly: true, onFailureOnly: true, steps: [{log: over}]}
      - from: {uri: "direct:start", steps: [{log: x}]}
    `);
    expect(faults.join()).toContain("both onCompleteOnly and onFailureOnly");
  });
});

describe("exception types", () => {
  it.each([
    ["com.jayway.jsonpath.PathNotFoundException", "- setBody: {jsonpath: $.none}"],
    ["com.jayway.jsonpath.JsonPathException", "- setBody: {jsonpath: $.none}"],
    ["java.io.IOException", "- throwException: {exceptionType: java.io.EOFException, message: end}"],
    ["java.io.IOException", "- throwException: {exceptionType: com.fasterxml.jackson.core.JsonParseException, message: bad}"],
  ])("%s can be caught", async (type, step) => {
    const run = await flow(`
      - doTry:
          steps:
            ${step}
          doCatch:
            - exception: [${type}]
              steps: [{setBody: {constant: caught}}]
    `);
    expect((await run({ body: '{"some":1}' })).body).toBe("caught");
  });
});
