import { defineBean, FlowError, type Exchange } from "@sluice/engine/spi";
import { afterAll, expect, it } from "vitest";
import type { FlowUnderTest, InputMessage } from "@sluice/testkit";
import { inDatabases } from "./databases.test-support.ts";
import { jdbcAggregationRepository } from "./jdbc-aggregation-repository.ts";

const aggregates = (table: string, options: string, steps = `[{to: "mock:group"}]`, properties = ""): string => `
- beans: [{name: groups, type: "#class:org.apache.camel.processor.aggregate.jdbc.JdbcAggregationRepository", properties: {dataSource: db, repositoryName: ${table}${properties}}}]
- route:
    id: ${table}
    from:
      uri: direct:start
      steps:
        - aggregate: {correlationExpression: {header: id}, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", aggregationRepository: groups, ${options}, steps: ${steps}}
- route: {id: ${table}-dead, from: {uri: "direct:dead", steps: [{to: "mock:dead"}]}}
`;
const beans = [jdbcAggregationRepository];
/** Not part of a test session, whose groups are stored in memory. */
const inputOf = (id: string, body: unknown): InputMessage => ({ body, headers: { id }, delivery: { session: undefined as never } });
const groupsOf = (run: FlowUnderTest, mock = "group"): readonly unknown[] => (run.mocks.get(mock) ?? []).map(({ body }) => body);
const failing = `[{to: "mock:tried"}, {throwException: {exceptionType: java.io.IOException, message: broken}}]`;

const rejectingStrategy = defineBean({
  names: ["Rejecting"],
  kind: "aggregation-strategy",
  title: "",
  summary: "",
  group: "",
  since: "",
  properties: {},
  create: () => ({
    aggregate: (_old: Exchange | undefined, next: Exchange) => {
      if (next.message.body === "bad") throw new FlowError("java.lang.IllegalArgumentException", "cannot merge");
      return next;
    },
  }),
});

await inDatabases("an aggregate", ["SQLite", "PostgreSQL", "MariaDB"], ({ flow, query, end }) => {
  afterAll(() => end());
  const rowsOf = async (table: string): Promise<number> => Number((await query(`select count(*) as n from ${table}`))[0]?.["n"]);

  it("continues its groups after a restart, with their types and sizes", async () => {
    const yaml = aggregates("restarted", "completionSize: 4");
    const beforeRestart = await flow(yaml, beans);
    const bytes = new Uint8Array([1, 2, 255]);
    for (const body of ["one", { two: [2, new Date(2)] }, bytes]) expect((await beforeRestart(inputOf("a", body))).error).toBeUndefined();
    await beforeRestart(inputOf("b", "other"));
    await beforeRestart.stop();
    expect(await rowsOf("restarted")).toBe(2);
    const afterRestart = await flow(yaml, beans);
    await afterRestart(inputOf("a", "four"));
    await expect.poll(() => groupsOf(afterRestart)).toEqual([["one", { two: [2, new Date(2)] }, bytes, "four"]]);
    const { properties } = afterRestart.mocks.get("group")?.[0] ?? {};
    expect([properties?.get("CamelAggregatedSize"), properties?.get("CamelAggregatedCompletedBy")]).toEqual([4, "size"]);
    await expect.poll(() => rowsOf("restarted_completed")).toBe(0);
    expect(await rowsOf("restarted")).toBe(1);
  });

  it("merges messages that arrive at the same time, from two runtimes, each once", async () => {
    const yaml = aggregates("shared", "completionSize: 20");
    const [first, second] = [await flow(yaml, beans), await flow(yaml, beans)];
    await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? first : second)(inputOf("x", n))));
    await expect.poll(() => groupsOf(first).length + groupsOf(second).length).toBe(2);
    expect([...groupsOf(first), ...groupsOf(second)].flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it("distinguishes keys by case and accents", async () => {
    const run = await flow(aggregates("similar_keys", "completionSize: 2"), beans);
    for (const id of ["a", "A", "á", "a", "A", "á"]) await run(inputOf(id, id));
    await expect.poll(() => groupsOf(run).length).toBe(3);
    expect(groupsOf(run)).toEqual([
      ["a", "a"],
      ["A", "A"],
      ["á", "á"],
    ]);
  });

  it("completes a group whose timeout passed while the flow was stopped", async () => {
    const withCheckEvery = (ms: number): string => aggregates("expired", `completionTimeout: 100, completionTimeoutCheckerInterval: ${ms}`);
    const beforeRestart = await flow(withCheckEvery(3_600_000), beans);
    await beforeRestart(inputOf("a", "one"));
    await beforeRestart.stop();
    expect(groupsOf(beforeRestart)).toEqual([]);
    const afterRestart = await flow(withCheckEvery(20), beans);
    await expect.poll(() => groupsOf(afterRestart)).toEqual([["one"]]);
    expect(afterRestart.mocks.get("group")?.[0]?.properties.get("CamelAggregatedCompletedBy")).toBe("timeout");
  });

  it("runs a failed group again, and sends it to deadLetterUri after the last attempt", async () => {
    const recovery = ", recoveryInterval: 20, maximumRedeliveries: 2, deadLetterUri: direct:dead, storeBodyAsText: true, headersToStoreAsText: shop";
    const run = await flow(aggregates("failing", "completionSize: 2", failing, recovery), beans);
    const first = inputOf("a", "one");
    await run({ ...first, headers: { ...first.headers, shop: "north" } });
    expect(await query("select id, body, shop from failing")).toEqual([{ id: "a", body: "one", shop: "north" }]);
    await run(inputOf("a", "two"));
    await expect.poll(() => groupsOf(run, "dead")).toEqual([["one", "two"]]);
    expect(run.mocks.get("tried")?.map(({ headers }) => headers["CamelRedeliveryCounter"])).toEqual([undefined, 1, 2]);
    await expect.poll(() => rowsOf("failing_completed")).toBe(0);
  });

  it.each([true, false])("discards a group whose merge failed only if discardOnAggregationFailure is set: %s", async (discards) => {
    const table = `discard_${discards}`;
    const yaml = aggregates(table, `completionSize: 2, discardOnAggregationFailure: ${discards}`).replace(/#class:[^"]*Grouped[^"]*/, "#class:Rejecting");
    const run = await flow(yaml, [...beans, rejectingStrategy]);
    await run(inputOf("a", "one"));
    expect((await run(inputOf("a", "bad"))).error).toBe("cannot merge");
    expect(await rowsOf(table)).toBe(discards ? 0 : 1);
    expect(await rowsOf(`${table}_completed`)).toBe(0);
  });

  it("fails a message that cannot be stored, and keeps the group as it was", async () => {
    const run = await flow(aggregates("unstorable", "completionSize: 3"), beans);
    await run(inputOf("a", "one"));
    expect((await run(inputOf("a", () => undefined))).error).toContain("cannot be stored");
    await run(inputOf("a", "two"));
    await run(inputOf("a", "three"));
    await expect.poll(() => groupsOf(run)).toEqual([["one", "two", "three"]]);
  });
});

it("rejects an invalid table name and incomplete dead-letter options", () => {
  const create = (properties: object): unknown => jdbcAggregationRepository.create(properties as never, {} as never, { connection: () => ({}) } as never);
  expect(() => create({ repositoryName: "a; drop table b" })).toThrow("not a valid table name");
  expect(() => create({ repositoryName: "a", headersToStoreAsText: "x y" })).toThrow("cannot be a column");
  expect(() => create({ repositoryName: "a", headersToStoreAsText: "ID" })).toThrow("cannot be a column");
  expect(() => create({ repositoryName: "a", maximumRedeliveries: 3 })).toThrow("set both or neither");
});
