import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("evaluates the expression after every hop until it returns nothing", async () => {
  const run = await flow(`
- from: {uri: direct:start, steps: [{setVariable: {name: next, constant: "direct:a"}}, {dynamicRouter: {variable: next, allowedSchemes: "direct,mock"}}, {to: "mock:after"}]}
- from: {uri: direct:a, steps: [{setBody: {simple: "\${body}a"}}, {setVariable: {name: next, constant: "mock:m,direct:b"}}]}
- from: {uri: direct:b, steps: [{setBody: {simple: "\${body}b"}}, {removeVariable: next}]}
`);
  expect((await run({ body: "-" })).body).toBe("-ab");
  expect([...run.mocks.keys()]).toEqual(["m", "after"]);
});

it("stops a message that would loop forever", async () => {
  const run = await flow(`- dynamicRouter: {constant: "mock:again"}`);
  expect((await run()).error).toContain("more than 10000 hops");
  expect(run.mocks.get("again")).toHaveLength(10_000);
});
