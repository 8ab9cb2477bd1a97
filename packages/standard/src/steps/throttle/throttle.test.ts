import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

describe("throttle", () => {
  it("admits a fixed number of messages per period, in order of arrival", async () => {
    const run = await flow(`
      - throttle: {constant: "2", timePeriodMillis: 1000}
      - to: mock:out
    `);
    const count = (): number => run.mocks.get("out")?.length ?? 0;
    const all = ["1", "2", "3", "4", "5"].map((body) => run({ body }));
    expect(count()).toBe(2);
    await run.host.clock.advance(999);
    expect(count()).toBe(2);
    await run.host.clock.advance(1);
    expect(count()).toBe(4);
    await run.host.clock.advance(1000);
    await Promise.all(all);
    expect(run.mocks.get("out")?.map(({ body }) => body)).toEqual(["1", "2", "3", "4", "5"]);
  });

  it("rejects messages above the limit of their key with rejectExecution", async () => {
    const run = await flow(`- throttle: {constant: "1", timePeriodMillis: 500, rejectExecution: true, correlationExpression: {header: user}}`);
    const send = async (user: string) => (await run({ headers: { user } })).error;
    expect(await send("a")).toBeUndefined();
    expect(await send("b")).toBeUndefined();
    expect(await send("a")).toBe("Exceeded the max throttle rate of 1 within 500ms");
    await run.host.clock.advance(500);
    expect(await send("a")).toBeUndefined();
  });

  it("limits in-flight messages and releases the slot when one ends, successfully or not", async () => {
    const run = await flow(`
      - throttle: {constant: "1", mode: ConcurrentRequests}
      - delay: {constant: "100"}
      - to: mock:out
      - throwException: {exceptionType: java.lang.Exception, message: boom}
    `);
    const all = ["1", "2"].map((body) => run({ body }));
    await run.host.clock.advance(100);
    expect(run.mocks.get("out")).toHaveLength(1);
    await run.host.clock.advance(100);
    expect((await Promise.all(all)).map(({ error }) => error)).toEqual(["boom", "boom"]);
    expect(run.mocks.get("out")).toHaveLength(2);
  });

  it.each(["0", "-1", "many"])("fails for a limit of %s", async (limit) => {
    const run = await flow(`- throttle: {constant: "${limit}"}`);
    expect((await run()).error).toContain("the throttle limit must be an integer of 1 or more");
  });

  it("does not wait in a session that skips time", async () => {
    const run = await flow(`- throttle: {constant: "1", timePeriodMillis: 60000}`);
    const input = { delivery: { session: { id: "s", skipTime: true } } };
    await run(input);
    expect((await run(input)).error).toBeUndefined();
  });
});
