import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

describe("loop", () => {
  it("repeats on the same message and sets index and size", async () => {
    const run = await flow(
      `- loop: {header: times, steps: [{setBody: {simple: "\${body}\${exchangeProperty.CamelLoopIndex}/\${exchangeProperty.CamelLoopSize};"}}]}`,
    );
    expect((await run({ body: "", headers: { times: "2" } })).body).toBe("0/2;1/2;");
    expect((await run({ body: "x", headers: { times: 0 } })).body).toBe("x");
    expect((await run({ body: "x", headers: { times: -3 } })).body).toBe("x");
  });

  it.each(["many", "", null])("fails when the count is %j", async (times) => {
    const run = await flow(`- loop: {header: times, steps: [{to: "mock:in"}]}`);
    expect((await run({ headers: { times } })).error).toContain("the number of iterations must be a number");
    expect(run.mocks.size).toBe(0);
  });

  it("with copy, starts each iteration with the original message and keeps the last result", async () => {
    const run = await flow(`- loop: {constant: "3", copy: true, steps: [{setBody: {simple: "\${body}\${exchangeProperty.CamelLoopIndex}"}}]}`);
    expect((await run({ body: "x" })).body).toBe("x2");
  });

  it("with doWhile, repeats asynchronous steps while the condition is true", async () => {
    const run = await flow(
      `- loop: {doWhile: true, simple: "\${header.n} != 'aaa'", steps: [{delay: {constant: "10"}}, {setHeader: {name: n, simple: "\${header.n}a"}}]}`,
    );
    const pending = run({ headers: { n: "" } });
    await run.host.clock.advance(100);
    const { headers, exchange } = await pending;
    expect(headers["n"]).toBe("aaa");
    expect(exchange.property("CamelLoopSize")).toBeUndefined();
  });

  it("ends with stop", async () => {
    const run = await flow(`
      - loop: {constant: "5", steps: [{to: "mock:in"}, {stop: {}}]}
      - to: mock:after
    `);
    await run();
    expect([...run.mocks].map(([name, messages]) => [name, messages.length])).toEqual([["in", 1]]);
  });
});
