import { diagnosticsOf, flow, type FlowUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const targets = `[{to: "mock:x"}, {to: "mock:y"}, {to: "mock:z"}]`;
const targetsOf = async (run: FlowUnderTest, messages: readonly Readonly<Record<string, unknown>>[]): Promise<string> => {
  let path = "";
  for (const headers of messages) {
    const countsBefore = new Map([...run.mocks].map(([name, received]) => [name, received.length]));
    await run({ headers });
    path +=
      [...run.mocks]
        .filter(([name, received]) => received.length > (countsBefore.get(name) ?? 0))
        .map(([name]) => name)
        .join("+") + " ";
  }
  return path.trim();
};
const times = (count: number): readonly Readonly<Record<string, unknown>>[] => Array.from({ length: count }, () => ({}));

describe("loadBalance", () => {
  it("round robin: uses the children in turn", async () => {
    expect(await targetsOf(await flow(`- loadBalance: {roundRobinLoadBalancer: {}, steps: ${targets}}`), times(4))).toBe("x y z x");
  });

  it("random: uses a random child", async () => {
    expect(await targetsOf(await flow(`- loadBalance: {randomLoadBalancer: {}, steps: ${targets}}`), times(2))).toBe("y y");
  });

  it("sticky: a key always uses the same child", async () => {
    const run = await flow(`- loadBalance: {stickyLoadBalancer: {correlationExpression: {header: k}}, steps: ${targets}}`);
    expect(await targetsOf(run, [{ k: "a" }, { k: "b" }, { k: "a" }, { k: "b" }, { k: "c" }, { k: "a" }])).toBe("x y x y z x");
  });

  it("weighted: distributes by ratio, in turn or randomly, and requires one ratio per child", async () => {
    const roundRobin = await flow(`- loadBalance: {weightedLoadBalancer: {distributionRatio: "3,1,0", roundRobin: true}, steps: ${targets}}`);
    expect(await targetsOf(roundRobin, times(8))).toBe("x y x x x y x x");
    const random = await flow(`- loadBalance: {weightedLoadBalancer: {distributionRatio: "1,0,2"}, steps: ${targets}}`);
    expect(await targetsOf(random, times(1))).toBe("z");
    expect(diagnosticsOf(`- loadBalance: {weightedLoadBalancer: {distributionRatio: "1,2"}, steps: ${targets}}`).join()).toContain(
      "one integer for each of the 3 child steps",
    );
  });

  it("topic: sends a copy to every child", async () => {
    const run = await flow(`- loadBalance: {topicLoadBalancer: {}, steps: [{setBody: {constant: lost}}, {to: "mock:y"}]}`);
    expect((await run({ body: "m" })).body).toBe("m");
    expect(run.mocks.get("y")?.[0]?.body).toBe("m");
  });

  it("topic: the first failure stops the step", async () => {
    const run = await flow(`- loadBalance: {topicLoadBalancer: {}, steps: [{to: "mock:x"}, ${fail("java.io.IOException")}, {to: "mock:y"}]}`);
    expect((await run({ body: "m" })).error).toBe("java.io.IOException");
    expect([run.mocks.get("x")?.length, run.mocks.has("y")]).toEqual([1, false]);
  });

  it("requires exactly one balancer", () => {
    expect(diagnosticsOf(`- loadBalance: {steps: ${targets}}`).join()).toContain("exactly one load balancer");
  });
});

const fail = (type: string): string => `{pipeline: {steps: [{setBody: {constant: dirty}}, {throwException: {exceptionType: ${type}, message: ${type}}}]}}`;

describe("failover", () => {
  it("tries the next child with a new copy, even after an asynchronous failure", async () => {
    const failLater = `{pipeline: {steps: [{delay: {constant: "50"}}, {throwException: {exceptionType: java.io.IOException, message: late}}]}}`;
    const run = await flow(
      `- loadBalance: {failoverLoadBalancer: {}, steps: [${fail("java.io.IOException")}, ${failLater}, {setBody: {simple: "\${body}!"}}]}`,
    );
    const pending = run({ body: "m" });
    await run.host.clock.advance(50);
    expect(await pending).toMatchObject({ body: "m!", error: undefined });
  });

  it("fails over only for the listed exceptions and at most maximumFailoverAttempts times", async () => {
    const listed = await flow(
      `- loadBalance: {failoverLoadBalancer: {exception: [java.io.IOException]}, steps: [${fail("java.lang.IllegalStateException")}, {to: "mock:y"}]}`,
    );
    expect(await listed({ body: "m" })).toMatchObject({ error: "java.lang.IllegalStateException", body: "m" });
    const bounded = await flow(
      `- loadBalance: {failoverLoadBalancer: {maximumFailoverAttempts: 1}, steps: [${fail("java.io.IOException")}, ${fail("java.lang.Exception")}, {to: "mock:z"}]}`,
    );
    expect((await bounded()).error).toBe("java.lang.Exception");
    expect(bounded.mocks.size).toBe(0);
  });

  it("starts after the child that was used last with roundRobin, or with the child that succeeded last with sticky", async () => {
    const round = await flow(
      `- loadBalance: {failoverLoadBalancer: {roundRobin: true}, steps: [{to: "mock:x"}, ${fail("java.lang.Exception")}, {to: "mock:z"}]}`,
    );
    expect(await targetsOf(round, times(4))).toBe("x z x z");
    const last = await flow(
      `- loadBalance: {failoverLoadBalancer: {roundRobin: true}, steps: [${fail("java.lang.Exception")}, {to: "mock:y"}, {to: "mock:z"}]}`,
    );
    expect(await targetsOf(last, times(4))).toBe("y z y z");
    const sticky = await flow(`- loadBalance: {failoverLoadBalancer: {sticky: true}, steps: [${fail("java.lang.Exception")}, {to: "mock:y"}]}`);
    expect(await targetsOf(sticky, times(2))).toBe("y y");
    const none = await flow(
      `- loadBalance: {failoverLoadBalancer: {roundRobin: true}, steps: [${fail("java.lang.Exception")}, ${fail("java.io.IOException")}]}`,
    );
    expect((await none()).error).toBe("java.io.IOException");
  });
});
