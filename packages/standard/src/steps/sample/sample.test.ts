import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("lets the first message of each period pass and ends the others without a failure", async () => {
  const run = await flow(`
    - sample: "600"
    - to: mock:out
  `);
  for (const body of ["1", "2"]) expect((await run({ body })).error).toBeUndefined();
  await run.host.clock.advance(600);
  await run({ body: "3" });
  expect(run.mocks.get("out")?.map(({ body }) => body)).toEqual(["1", "3"]);
});

it("lets every third message pass", async () => {
  const run = await flow(`
    - sample: {messageFrequency: 3}
    - to: mock:out
  `);
  for (const body of ["1", "2", "3", "4", "5", "6"]) await run({ body });
  expect(run.mocks.get("out")?.map(({ body }) => body)).toEqual(["3", "6"]);
});
