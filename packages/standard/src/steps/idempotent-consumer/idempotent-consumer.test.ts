import { flow } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const memory = `idempotentRepository: "#class:org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository"`;
const failBad = `{filter: {simple: "\${body} == 'bad'", steps: [{throwException: {exceptionType: java.lang.Exception, message: boom}}]}}`;
const consumer = (options = "", inner = `{to: "mock:in"}`, after = `{to: "mock:after"}`): string => `
  - idempotentConsumer: {header: id, ${memory}, ${options} steps: [${inner}]}
  - ${after}
`;
const message = (body: string, id: unknown = 1) => ({ body, headers: { id } });

describe("idempotentConsumer", () => {
  it("runs its steps once per key and marks duplicates", async () => {
    const run = await flow(consumer());
    await run(message("a"));
    const { exchange } = await run(message("b"));
    await run(message("c", 2));
    expect(run.mocks.get("in")?.map(({ body }) => body)).toEqual(["a", "c"]);
    expect(run.mocks.get("after")).toHaveLength(3);
    expect(exchange.property("CamelDuplicateMessage")).toBe(true);
  });

  it.each([
    ["removes the key after a failure inside", consumer("", `${failBad}, {to: "mock:in"}`), ["good"]],
    ["removes the key after a failure later in the route", consumer("", `{to: "mock:in"}`, failBad), ["bad", "good"]],
    ["keeps the key after a later failure with completionEager", consumer("completionEager: true,", `{to: "mock:in"}`, failBad), ["bad"]],
    ["keeps the key after a failure with removeOnFailure: false", consumer("removeOnFailure: false,", `${failBad}, {to: "mock:in"}`), []],
  ])("%s", async (_title, yaml, processed) => {
    const run = await flow(yaml);
    expect((await run(message("bad"))).error).toBe("boom");
    await run(message("good"));
    await run(message("duplicate"));
    expect((run.mocks.get("in") ?? []).map(({ body }) => body)).toEqual(processed);
  });

  it("releases the key of a handled failure, because the work was not done", async () => {
    const run = await flow(`
      - onException: {exception: [java.lang.Exception], handled: {constant: "true"}, steps: [{to: "mock:handled"}]}
      - from: {uri: direct:start, steps: [{idempotentConsumer: {header: id, ${memory}, steps: [${failBad}, {to: "mock:in"}]}}]}
    `);
    await run(message("bad"));
    await run(message("good"));
    expect(run.mocks.get("in")?.map(({ body }) => body)).toEqual(["good"]);
  });

  it("treats two concurrent messages as duplicates only when eager", async () => {
    const processedCount = async (eager: boolean): Promise<number | undefined> => {
      const run = await flow(consumer(`eager: ${eager},`, `{delay: {constant: "10"}}, {to: "mock:in"}`));
      const all = [run(message("a")), run(message("b"))];
      await run.host.clock.advance(10);
      await Promise.all(all);
      return run.mocks.get("in")?.length;
    };
    expect([await processedCount(true), await processedCount(false)]).toEqual([1, 2]);
  });

  it("applies the limit of the repository to a test session, but not its keys", async () => {
    const run = await flow(`
      - beans: [{name: tiny, type: org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository, properties: {cacheSize: 2}}]
      - from: {uri: direct:start, steps: [{idempotentConsumer: {simple: "\${body}", idempotentRepository: tiny, steps: [{to: "mock:in"}]}}]}`);
    await run({ body: "a" });
    const delivery = { session: { id: "s", skipTime: false } };
    for (const body of ["a", "b", "c", "a", "a"]) await run({ body, delivery });
    expect(run.mocks.get("in")?.map(({ body }) => body)).toEqual(["a", "a", "b", "c", "a"]);
  });

  it.each([
    ["live", {}],
    ["in a test session", { session: { id: "s", skipTime: false } }],
  ])("shares one repository per name with all routes of the document, %s", async (_title, delivery) => {
    const consumerOf = (reference: string): string =>
      `{idempotentConsumer: {simple: "\${body}", idempotentRepository: "${reference}", steps: [{to: "mock:in"}]}}`;
    const run = await flow(`
      - beans: [{name: shared, type: org.apache.camel.support.processor.idempotent.MemoryIdempotentRepository}]
      - from: {uri: direct:one, steps: [${consumerOf("shared")}]}
      - from: {uri: direct:two, steps: [${consumerOf("#shared")}]}
      - from: {uri: direct:three, steps: [${consumerOf("#bean:shared")}]}
    `);
    for (const endpoint of ["direct:one", "direct:two", "direct:three"])
      await run.send(endpoint, { body: "same", delivery: { session: undefined, ...delivery } });
    expect(run.mocks.get("in")).toHaveLength(1);
  });

  it("requires a key", async () => {
    const run = await flow(consumer());
    const { exchange } = await run({ body: "x" });
    expect(exchange.failure?.type).toBe("org.apache.camel.processor.idempotent.NoMessageIdException");
  });
});
