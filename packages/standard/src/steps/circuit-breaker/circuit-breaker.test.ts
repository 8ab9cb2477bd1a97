import { flow, type FlowUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const failBad = `{filter: {simple: "\${body} == 'bad'", steps: [{setHeader: {name: dirty, constant: x}}, {throwException: {exceptionType: java.io.IOException, message: down}}]}}`;
const breaker = (configuration: string, fallback = `, onFallback: {steps: [{setBody: {simple: "fb(\${body}) \${exception.message}"}}]}`): string => `
  - circuitBreaker: {resilience4jConfiguration: {${configuration}}, steps: [{to: "mock:try"}, ${failBad}, {setBody: {simple: "\${body}!"}}]${fallback}}
  - to: mock:after
`;
const send = async (run: FlowUnderTest, ...bodies: readonly string[]): Promise<readonly unknown[]> => {
  const results: unknown[] = [];
  for (const body of bodies) {
    const { error, exchange } = await run({ body });
    results.push(error ?? exchange.message.body);
  }
  return results;
};
const twoCalls = "minimumNumberOfCalls: 2, slidingWindowSize: 2, waitDurationInOpenState: 1000, permittedNumberOfCallsInHalfOpenState: 2";

describe("circuitBreaker", () => {
  it("passes the original message to the fallback", async () => {
    const run = await flow(breaker(twoCalls));
    const { body, headers, exchange } = await run({ body: "bad" });
    expect([body, headers]).toEqual(["fb(bad) down", {}]);
    expect(exchange.property("CamelCircuitBreakerResponseFromFallback")).toBe(true);
    const good = await run({ body: "ok" });
    expect([good.body, good.exchange.property("CamelCircuitBreakerSuccessfulExecution")]).toEqual(["ok!", true]);
  });

  it("accepts the fallback as one of its steps", async () => {
    const run = await flow(`- circuitBreaker: {steps: [${failBad}, {onFallback: {steps: [{setBody: {constant: fell}}]}}]}`);
    expect(await send(run, "bad", "good")).toEqual(["fell", "good"]);
  });

  it("opens at the threshold, is half open after the wait, and then closes or opens depending on the test calls", async () => {
    const run = await flow(breaker(twoCalls));
    await send(run, "bad", "bad");
    expect(await send(run, "ok")).toEqual(["fb(ok) CircuitBreaker 'circuitBreaker1' is OPEN and does not permit further calls"]);
    expect(run.mocks.get("try")).toHaveLength(2);
    await run.host.clock.advance(1000);
    expect(await send(run, "bad", "bad")).toEqual(["fb(bad) down", "fb(bad) down"]);
    await send(run, "ok");
    expect(run.mocks.get("try")).toHaveLength(4);
    await run.host.clock.advance(1000);
    expect(await send(run, "ok", "ok", "ok", "bad")).toEqual(["ok!", "ok!", "ok!", "fb(bad) down"]);
  });

  it("fails without a fallback; when open, skips the steps, or fails with throwExceptionWhenHalfOpenOrOpenState", async () => {
    const skips = await flow(breaker(twoCalls, ""));
    expect(await send(skips, "bad", "bad", "ok")).toEqual(["down", "down", "ok"]);
    const fails = await flow(breaker(`${twoCalls}, throwExceptionWhenHalfOpenOrOpenState: true`, ""));
    expect((await send(fails, "bad", "bad", "ok"))[2]).toContain("is OPEN");
  });

  it("does not open for ignored or unrecorded failures", async () => {
    for (const option of ["ignoreException: [java.io.IOException]", "recordException: [java.lang.IllegalStateException]"]) {
      const run = await flow(breaker(`${twoCalls}, ${option}`));
      expect(await send(run, "bad", "bad", "bad", "ok")).toEqual(["bad", "bad", "bad", "ok!"]);
    }
  });

  it("times out slow steps and ignores their late result", async () => {
    const run = await flow(`
      - circuitBreaker:
          resilience4jConfiguration: {timeoutEnabled: true, timeoutDuration: 200}
          steps: [{delay: {constant: "1000"}}, {setBody: {constant: slow}}]
          onFallback: {steps: [{setBody: {constant: timed out}}]}
    `);
    const pending = run();
    await run.host.clock.advance(200);
    const { exchange } = await pending;
    await run.host.clock.advance(1000);
    expect(exchange.message.body).toBe("timed out");
    expect(exchange.property("CamelCircuitBreakerResponseTimedOut")).toBe(true);
    expect(run.host.clock.pending).toBe(0);
  });

  it("opens for slow calls", async () => {
    const run = await flow(`
      - circuitBreaker:
          resilience4jConfiguration: {minimumNumberOfCalls: 1, slidingWindowSize: 1, slowCallDurationThreshold: 100, slowCallRateThreshold: 50}
          steps: [{delay: {constant: "100"}}, {to: "mock:try"}]
    `);
    const slow = run();
    await run.host.clock.advance(100);
    await slow;
    await run();
    expect(run.mocks.get("try")).toHaveLength(1);
  });

  it("rejects calls over the bulkhead's limit", async () => {
    const run = await flow(`
      - circuitBreaker:
          resilience4jConfiguration: {bulkheadEnabled: true, bulkheadMaxConcurrentCalls: 1}
          steps: [{delay: {constant: "100"}}, {setBody: {constant: in}}]
          onFallback: {steps: [{setBody: {simple: "\${exception.message}"}}]}
    `);
    const first = run();
    expect((await run()).body).toContain("is full");
    await run.host.clock.advance(100);
    expect((await first).body).toBe("in");
  });
});
