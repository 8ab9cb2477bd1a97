import { Headers, Message } from "@sluice/engine";
import { diagnosticsOf, flow, settle, type FlowUnderTest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";

const grouped = `aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"`;
const aggregate = (options: string, steps = `[{to: "mock:group"}]`): string => `
  - aggregate: {correlationExpression: {header: id}, ${grouped}, ${options}, steps: ${steps}}
  - to: mock:after
`;
const feed = async (run: FlowUnderTest, ...messages: readonly (readonly [string, string])[]): Promise<void> => {
  for (const [id, body] of messages) await run({ body, headers: { id } });
  await settle();
};
const groupsOf = (run: FlowUnderTest): readonly unknown[] =>
  (run.mocks.get("group") ?? []).map(({ body, properties }) => [(body as readonly string[]).join(""), properties.get("CamelAggregatedCompletedBy")]);

describe("aggregate", () => {
  it("collects by key, lets the sender continue immediately and reports how a group was completed", async () => {
    const run = await flow(aggregate("completionSize: 2"));
    await feed(run, ["x", "1"], ["y", "2"], ["x", "3"], ["x", "4"]);
    expect(groupsOf(run)).toEqual([["13", "size"]]);
    const properties = run.mocks.get("group")?.[0]?.properties;
    expect([properties?.get("CamelAggregatedSize"), properties?.get("CamelAggregatedCorrelationKey"), properties?.has("CamelGroupedExchange")]).toEqual([
      2,
      "x",
      false,
    ]);
    expect(run.mocks.get("after")?.map(({ body }) => body)).toEqual(["1", "2", "3", "4"]);
  });

  it.each(["", "(true)"])("can share its groups in a cluster with the memory repository%s", async (parameters) => {
    const repository = `#class:org.apache.camel.processor.aggregate.MemoryAggregationRepository${parameters}`;
    const run = await flow(aggregate(`completionSize: 2, aggregationRepository: "${repository}"`));
    const [route] = run.runtime.routes.values();
    expect(route?.placement.tiedBy.find(({ kind }) => kind === "step")?.stateScope).toBe("shared");
  });

  it("completes a group on timeout, counted from its last message", async () => {
    const run = await flow(aggregate("completionTimeout: 500, completionTimeoutCheckerInterval: 100"));
    await feed(run, ["x", "1"]);
    await run.host.clock.advance(400);
    await feed(run, ["x", "2"]);
    await run.host.clock.advance(400);
    expect(groupsOf(run)).toEqual([]);
    await run.host.clock.advance(200);
    expect(groupsOf(run)).toEqual([["12", "timeout"]]);
    await run.stop();
    await run.host.clock.advance(600_000);
    expect(run.host.clock.pending).toBe(0);
  });

  it("completes all groups at intervals", async () => {
    const run = await flow(aggregate("completionInterval: 300"));
    await feed(run, ["x", "1"], ["y", "2"], ["x", "3"]);
    await run.host.clock.advance(300);
    expect(groupsOf(run)).toEqual([
      ["13", "interval"],
      ["2", "interval"],
    ]);
    await run.host.clock.advance(300);
    expect(groupsOf(run)).toHaveLength(2);
    await run.stop();
  });

  it("discards groups on timeout with discardOnCompletionTimeout", async () => {
    const run = await flow(aggregate("completionTimeout: 100, completionTimeoutCheckerInterval: 50, discardOnCompletionTimeout: true"));
    await feed(run, ["x", "1"]);
    await run.host.clock.advance(500);
    expect(groupsOf(run)).toEqual([]);
    await run.stop();
  });

  it("evaluates the predicate with the group, or with the incoming message when eager", async () => {
    const predicate = `completionPredicate: {simple: "\${header.last} == 'yes'"}`;
    const send = async (run: FlowUnderTest): Promise<void> => {
      await run({ body: "1", headers: { id: "x", last: "no" } });
      await run({ body: "2", headers: { id: "x", last: "yes" } });
      await settle();
    };
    const afterMerge = await flow(aggregate(predicate));
    await send(afterMerge);
    expect(groupsOf(afterMerge)).toEqual([]);
    const eager = await flow(aggregate(`${predicate}, eagerCheckCompletion: true`));
    await send(eager);
    expect(groupsOf(eager)).toEqual([["12", "predicate"]]);
  });

  it("prefers the size from the message over the fixed one", async () => {
    const run = await flow(aggregate("completionSize: 2, completionSizeExpression: {header: want}"));
    for (const body of ["1", "2", "3"]) await run({ body, headers: { id: "x", want: 3 } });
    await feed(run, ["y", "4"], ["y", "5"]);
    expect(groupsOf(run)).toEqual([
      ["123", "size"],
      ["45", "size"],
    ]);
  });

  it("rejects late messages of a closed group with Camel's message, and evicts the oldest closed keys", async () => {
    const run = await flow(aggregate("completionSize: 1, closeCorrelationKeyOnCompletion: 2"));
    await feed(run, ["a", "1"], ["b", "2"], ["c", "3"], ["a", "4"]);
    expect((await run({ body: "5", headers: { id: "c" } })).error).toBe("The correlation key [c] has been closed");
    expect(groupsOf(run)).toHaveLength(4);
  });

  it("fails for a message without a key, or ignores it with ignoreInvalidCorrelationKeys", async () => {
    const strict = await flow(aggregate("completionSize: 2"));
    expect((await strict({ body: "1" })).error).toBe("Invalid correlation key");
    const lenient = await flow(aggregate("completionSize: 1, ignoreInvalidCorrelationKeys: true"));
    expect((await lenient({ body: "1" })).error).toBeUndefined();
    expect(groupsOf(lenient)).toEqual([]);
  });

  it("completes all groups for a header set by the route, never for a received one", async () => {
    const run = await flow(aggregate("completionSize: 10"));
    await feed(run, ["x", "1"]);
    const receivedHeaders = new Headers({
      entries: () => [
        ["id", "x"],
        ["CamelAggregationCompleteAllGroups", "true"],
      ],
    });
    // The test session that `run` uses, because groups are separate for each session.
    await run.runtime.routeInputOf("direct:start")?.deliver(new Message("2", receivedHeaders), { session: { id: "by-hand", skipTime: false } });
    await settle();
    expect(groupsOf(run)).toEqual([]);
    await run({ body: "3", headers: { id: "z", CamelAggregationCompleteAllGroups: true } });
    await settle();
    expect(groupsOf(run)).toEqual([["12", "force"]]);
    await run({ body: "4", headers: { id: "z", CamelAggregationCompleteAllGroupsInclusive: true } });
    await settle();
    expect(groupsOf(run)[1]).toEqual(["4", "force"]);
    expect(run.mocks.get("after")?.at(-1)?.headers).toEqual({ id: "z" });
  });

  it("completes the previous group when another starts", async () => {
    const run = await flow(aggregate("completionSize: 10, completionOnNewCorrelationGroup: true"));
    await feed(run, ["x", "1"], ["x", "2"], ["y", "3"]);
    expect(groupsOf(run)).toEqual([["12", "force"]]);
  });

  it("does not report failures of the group to the sender", async () => {
    const run = await flow(aggregate("completionSize: 1", `[{throwException: {exceptionType: java.lang.Exception, message: boom}}]`));
    expect((await run({ body: "1", headers: { id: "x" } })).error).toBeUndefined();
  });

  it("completes open groups when the flow stops, if configured, and otherwise discards them and logs their number", async () => {
    const completing = await flow(aggregate("completionSize: 10, forceCompletionOnStop: true"));
    await feed(completing, ["x", "1"]);
    await completing.stop();
    expect(groupsOf(completing)).toEqual([["1", "force"]]);
    const discarding = await flow(aggregate("completionSize: 10"));
    await feed(discarding, ["x", "1"]);
    await discarding.stop();
    expect(discarding.host.log.texts.join()).toContain("incomplete groups discarded because the flow stopped: 1");
  });

  it("rejects an aggregate without a completion condition or strategy", () => {
    expect(diagnosticsOf(`- aggregate: {correlationExpression: {constant: a}, ${grouped}, steps: [{stop: {}}]}`).join()).toContain("needs a completion");
    expect(diagnosticsOf(`- aggregate: {correlationExpression: {constant: a}, completionSize: 2, steps: [{stop: {}}]}`).join()).toContain(
      "needs an aggregationStrategy",
    );
    expect(
      diagnosticsOf(`- aggregate: {correlationExpression: {constant: a}, ${grouped}, completionInterval: 5, completionTimeout: 5, steps: [{stop: {}}]}`).join(),
    ).toContain("cannot be used together");
  });
});
