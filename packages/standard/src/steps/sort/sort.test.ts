import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("sorts numbers by value, text as text, and keeps the source unchanged", async () => {
  const run = await flow("- sort: {}");
  const list = [10, 9, 1];
  expect((await run({ body: list })).body).toEqual([1, 9, 10]);
  expect(list).toEqual([10, 9, 1]);
  expect((await run({ body: ["10", "9", "b", "a"] })).body).toEqual(["10", "9", "a", "b"]);
  expect((await run({ body: "c,a,b" })).body).toEqual(["a", "b", "c"]);
  expect((await run({ body: null })).body).toEqual([]);
});
