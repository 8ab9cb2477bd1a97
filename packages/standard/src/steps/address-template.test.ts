// A value from a message affects only its own part of an address.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flow } from "@sluice/testkit";

const addressOf = async (step: string, q: string): Promise<string> => {
  const run = await flow(`- ${step}`);
  const { exchange, error } = await run({ headers: { q } });
  if (error !== undefined) throw new Error(error);
  return String(exchange.property("CamelToEndpoint"));
};

describe("values in a dynamic address", () => {
  it.each([
    ["a&httpMethod=DELETE", "q=a%26httpMethod%3DDELETE"],
    ["#bean", "q=%23bean"],
    ["RAW(a", "q=RAW%28a"],
    ["50% + 1", "q=50%25%20%2B%201"],
    ["\uD800", "q=%EF%BF%BD"],
  ])("cannot add options: %j", async (q, expected) => {
    const run = await flow('- toD: "mock:x?q=${header.q}"');
    expect((await run({ headers: { q } })).error).toContain(`mock:x?${expected}, `);
  });

  it("cannot start a query", async () => {
    expect(await addressOf('toD: "mock:x-${header.q}"', "a?b=c")).toBe("mock://x-a%3Fb=c");
  });

  it("cannot leave the folder", async () => {
    for (const q of ["..", "../b", "a/../../b", "..\\b"])
      await expect(addressOf('toD: "mock:out/${header.q}"', q), q).rejects.toThrow(/points outside the path of the address/);
    expect(await addressOf('toD: "mock:out/${header.q}"', "a..b/c")).toBe("mock://out/a..b/c");
  });

  it("cannot add another address to a list", async () => {
    const run = await flow('- recipientList: {simple: "mock:a-${header.q}"}');
    await run({ headers: { q: "x,mock:b" } });
    expect([...run.mocks.keys()]).toEqual(["a-x,mock:b"]);
  });

  it("stay inside parameters, even if they contain RAW(", async () => {
    const run = await flow('- toD: {uri: mock, parameters: {name: "${header.q}"}}');
    for (const q of ["RAW(a)&x=y", "#class:a", "a&b=c"]) await run({ headers: { q } });
    expect([...run.mocks.keys()].toSorted()).toEqual(["#class:a", "RAW(a)&x=y", "a&b=c"]);
  });

  it.each([
    "mock:x-${header.q} ?: 'mock:z'",
    "mock:x?name=${header.q} ?: 'z'",
    "${header.q} ?: 'mock:x-${header.q}'",
    "$init{\\n$a := ${header.q};\\n}init$\\nmock:$a-${header.q}",
  ])("cannot be combined with operators, because they could not be encoded: %s", async (address) => {
    await expect(flow(`- toD: "${address}"`)).rejects.toThrow(/combines text with operators/);
  });

  it("can be an expression with operators only", async () => {
    const run = await flow(`- toD: "\${header.q} ?: 'mock:z'"`);
    await run({ headers: {} });
    expect([...run.mocks.keys()]).toEqual(["z"]);
  });

  it("any text reaches an endpoint with exactly that name, or is rejected", async () => {
    const run = await flow('- toD: "mock:n-${header.q}"');
    const codePoint = fc.oneof(fc.nat(0xff), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
    await fc.assert(
      fc.asyncProperty(fc.array(codePoint, { maxLength: 12 }), async (codePoints) => {
        const q = String.fromCodePoint(...codePoints);
        const { error } = await run({ headers: { q } });
        if (error === undefined && q.trim() === q && !q.includes("\uFFFD")) expect([...run.mocks.keys()]).toContain(`n-${q}`);
      }),
      { numRuns: 200 },
    );
  });
});

describe("an address that is only an expression", () => {
  const live = { delivery: { session: undefined as never, trigger: { uri: "webhook:x", method: "POST" } } };

  it("is rejected when it comes from a live message, unless allowedSchemes contains its scheme", async () => {
    const run = await flow('- toD: "${header.q}"');
    for (const q of ["mock:private", "direct:start", "file:/etc", "exec:id", "http://127.0.0.1/"])
      expect((await run({ headers: { q }, ...live })).error, q).toMatch(/is rejected: it came from the message/);
    const seda = { delivery: { session: undefined as never, trigger: { uri: "seda:x" } } };
    expect((await run({ headers: { q: "mock:private" }, ...seda })).error).toMatch(/is rejected/);
    expect(run.mocks.size).toBe(0);
    const allowing = await flow('- toD: {uri: "${header.q}", allowedSchemes: mock}');
    expect((await allowing({ headers: { q: "mock:public" }, ...live })).error).toBeUndefined();
    expect((await allowing({ headers: { q: "direct:start" }, ...live })).error).toMatch(/not in allowedSchemes/);
  });

  it("is accepted in a test run, and is still rejected for live messages afterwards", async () => {
    const run = await flow('- toD: "${header.q}"');
    expect((await run({ headers: { q: "mock:m" } })).error).toBeUndefined();
    expect((await run({ headers: { q: "mock:m" }, ...live })).error).toMatch(/is rejected/);
  });
});
