import { diagnosticsOf, flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const popped = async (filter: string): Promise<unknown> => {
  const run = await flow(`
    - claimCheck: {operation: Push}
    - setBody: {constant: now}
    - setHeader: {name: fooA, constant: now}
    - setHeader: {name: new, constant: "yes"}
    - claimCheck: {operation: Pop${filter === "" ? "" : `, filter: "${filter}"`}}
  `);
  const { body, headers } = await run({ body: "then", headers: { fooA: "then", bar: "then" } });
  return { body, ...headers };
};

describe("claimCheck", () => {
  it.each([
    ["", { body: "then", fooA: "then", bar: "then", new: "yes" }],
    ["body", { body: "then", fooA: "now", bar: "then", new: "yes" }],
    ["headers", { body: "now", fooA: "then", bar: "then", new: "yes" }],
    ["header:foo*", { body: "now", fooA: "then", bar: "then", new: "yes" }],
    ["-body", { body: "now", fooA: "then", bar: "then", new: "yes" }],
    ["-header:fooA", { body: "then", fooA: "now", bar: "then", new: "yes" }],
    ["body,--header:new", { body: "then", fooA: "now", bar: "then" }],
  ])("restores with filter '%s'", async (filter, expected) => {
    expect(await popped(filter)).toEqual(expected);
  });

  it("stores by key until removed, and ignores unknown keys", async () => {
    const run = await flow(`
      - claimCheck: {operation: Set, key: "\${header.k}"}
      - setBody: {constant: a}
      - claimCheck: {operation: Get, key: other}
      - to: mock:unknown
      - claimCheck: {operation: GetAndRemove, key: one}
      - to: mock:back
      - setBody: {constant: b}
      - claimCheck: {operation: Get, key: one}
    `);
    expect((await run({ body: "mine", headers: { k: "one" } })).body).toBe("b");
    expect([run.mocks.get("unknown")?.[0]?.body, run.mocks.get("back")?.[0]?.body]).toEqual(["a", "mine"]);
  });

  it("merges with a strategy when one is named", async () => {
    const get = async (type: string) => {
      const run = await flow(`
        - claimCheck: {operation: Set, key: k}
        - setBody: {constant: now}
        - setHeader: {name: h, constant: now}
        - claimCheck: {operation: Get, key: k, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.${type}"}
      `);
      const { body, headers } = await run({ body: "then", headers: { h: "then" } });
      return [body, headers["h"]];
    };
    expect(await get("UseOriginalAggregationStrategy")).toEqual(["now", "now"]);
    expect(await get("UseLatestAggregationStrategy")).toEqual(["then", "then"]);
    expect(
      diagnosticsOf(
        `- claimCheck: {operation: Pop, filter: body, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.UseLatestAggregationStrategy"}`,
      ).join(),
    ).toContain("filter and aggregationStrategy cannot be used together");
  });

  it("requires a key and a valid filter", () => {
    expect(diagnosticsOf("- claimCheck: {operation: Get}").join()).toContain("needs a key");
    expect(diagnosticsOf("- claimCheck: {operation: Pop, filter: attachments}").join()).toContain("invalid filter 'attachments'");
  });
});
