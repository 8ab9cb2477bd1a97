import { flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("evaluates the address and its parameters, and skips an empty address", async () => {
  const run = await flow(`
    - toD: "mock:\${header.name}"
    - toD: {uri: mock, parameters: {name: "p-\${header.name}"}}
    - toD: {uri: "\${header.missing}"}
  `);
  expect((await run({ body: "x", headers: { name: "one" } })).error).toBeUndefined();
  expect([...run.mocks.keys()]).toEqual(["one", "p-one"]);
});

it("does not let a value add options", async () => {
  const run = await flow(`- toD: {uri: mock, parameters: {name: "\${header.name}"}}`);
  await run({ headers: { name: "a&b=c" } });
  expect([...run.mocks.keys()]).toEqual(["a&b=c"]);
});

it("ignores an invalid endpoint with ignoreInvalidEndpoint, but never a disallowed scheme", async () => {
  const lenient = await flow(`- toD: {uri: "nosuch:\${body}", ignoreInvalidEndpoint: true}`);
  expect((await lenient({ body: "x" })).error).toBeUndefined();
  const strict = await flow(`- toD: {uri: "nosuch:\${body}"}`);
  expect((await strict({ body: "x" })).error).toContain("nosuch:x");
  const restricted = await flow(`- toD: {uri: "\${header.to}", allowedSchemes: direct, ignoreInvalidEndpoint: true}`);
  expect((await restricted({ headers: { to: "mock:x" } })).error).toContain("is rejected");
});
