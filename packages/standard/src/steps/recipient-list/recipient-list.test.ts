import { diagnosticsOf, flow } from "@sluice/testkit";
import { expect, it } from "vitest";

it("sends a copy to each trimmed address, including duplicates, and none for an empty list", async () => {
  const run = await flow(`- recipientList: {header: to, allowedSchemes: mock}`);
  await run({ body: "m", headers: { to: " mock:a , mock:b,mock:a," } });
  expect([...run.mocks].map(([name, messages]) => [name, messages.length])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  expect(run.mocks.get("b")?.[0]?.properties.get("CamelRecipientListEndpoint")).toBe("mock://b");
  expect((await run({ body: "m", headers: { to: "" } })).body).toBe("m");
  expect((await run({ body: "m", headers: { to: ["mock:c"] } })).error).toBeUndefined();
  expect(run.mocks.get("c")).toHaveLength(1);
});

it("fails for an invalid endpoint, unless ignoreInvalidEndpoints is set", async () => {
  const strict = await flow(`- recipientList: {simple: "mock:a,nosuch:\${body},mock:b", allowedSchemes: "mock,nosuch"}`);
  expect((await strict({ body: "x" })).error).toContain("nosuch:x");
  expect(diagnosticsOf(`- recipientList: {constant: "mock:a,nosuch:x,mock:b"}`)).toEqual([expect.stringContaining("unknown connector 'nosuch'")]);
  const lenient = await flow(`- recipientList: {constant: "mock:a,nosuch:x,mock:b", ignoreInvalidEndpoints: true}`);
  expect((await lenient()).error).toBeUndefined();
  expect([...lenient.mocks.keys()]).toEqual(["a", "b"]);
});

it("treats text as one address when the delimiter is false", async () => {
  const run = await flow(`- recipientList: {constant: "mock:a,b", delimiter: "false"}`);
  await run();
  expect([...run.mocks.keys()]).toEqual(["a,b"]);
});

it("rejects more than 10,000 addresses, even if they are empty", async () => {
  const run = await flow(`- recipientList: {simple: "\${body}"}`);
  expect((await run({ body: ",".repeat(20_000) })).error).toBe("the list has more than 10000 addresses; send several messages with shorter lists");
  expect((await run({ body: ",".repeat(100) })).error).toBeUndefined();
});
