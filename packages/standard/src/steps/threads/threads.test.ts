import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("admits poolSize messages, queues others in order, and rejects the rest with Abort", async () => {
  const run = await flow(`
    - threads: {poolSize: 1, maxPoolSize: 1, maxQueueSize: 1, rejectedPolicy: Abort}
    - delay: {constant: "100"}
    - to: mock:out
  `);
  const all = ["1", "2", "3"].map((body) => run({ body }));
  await run.host.clock.advance(100);
  expect(run.mocks.get("out")?.map(({ body }) => body)).toEqual(["1"]);
  await run.host.clock.advance(100);
  const outcomes = await Promise.all(all);
  expect(run.mocks.get("out")?.map(({ body }) => body)).toEqual(["1", "2"]);
  expect(outcomes.map(({ error }) => error !== undefined)).toEqual([false, false, true]);
});

it("releases the slot of a failed message", async () => {
  const run = await flow(`
    - threads: {poolSize: 1, maxPoolSize: 1, maxQueueSize: 0, rejectedPolicy: Abort}
    - throwException: {exceptionType: java.lang.Exception, message: boom}
  `);
  expect((await run()).error).toBe("boom");
  expect((await run()).error).toBe("boom");
});
