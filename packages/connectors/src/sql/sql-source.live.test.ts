// The source of `sql`, the step `transacted` and the connector jdbc, in each database available on this machine.
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { eventually, settle } from "@sluice/testkit";
import { inDatabases } from "../database/databases.test-support.ts";
import { hostileValues } from "../database/hostile-values.test-support.ts";

const fastPolling = "initialDelay=1&delay=10";

await inDatabases("sql as a source", ["SQLite", "PostgreSQL", "MariaDB"], (database) => {
  const { flow, query, host } = database;
  const count = async (where: string): Promise<number> => Number((await query(`select count(*) as n from jobs where ${where}`))[0]?.["n"]);

  beforeEach(async () => {
    await query("drop table if exists jobs");
    await query("drop table if exists seen");
    await query("create table jobs (id integer primary key, state varchar(20))");
    await query("create table seen (id integer primary key)");
    await query("insert into jobs values (1, 'new'), (2, 'new'), (3, 'new')");
  });
  afterEach(() => database.stopFlows());
  afterAll(() => database.end());

  it("delivers each row in order and executes the follow-up statements, even for failed rows", async () => {
    const run = await flow(`
        - from:
            uri: "sql:select * from jobs where state = 'new' order by id?${fastPolling}&onConsume=update jobs set state = 'done' where id = :%23id&onConsumeFailed=update jobs set state = 'bad' where id = :%23id&onConsumeBatchComplete=insert into jobs values (99, 'end')"
            steps:
              - to: "mock:rows"
              - filter: {simple: "\${body[id]} == 2", steps: [{throwException: {exceptionType: java.lang.Exception, message: no}}]}`);
    await eventually(async () => (await count("state = 'end'")) === 1);
    expect(run.mocks.get("rows")?.map(({ body }) => (body as { id: number }).id)).toEqual([1, 2, 3]);
    expect([await count("state = 'done'"), await count("state = 'bad'")]).toEqual([2, 1]);
    await run.stop();
  });

  it("delivers a row again after its run failed", async () => {
    await query("insert into seen values (1)");
    const run = await flow(`
        - from:
            uri: "sql:select * from jobs where state = 'new' order by id?${fastPolling}&maxMessagesPerPoll=1&onConsume=update jobs set state = 'done' where id = :%23id&expectedUpdateCount=1"
            steps: [{to: "mock:rows"}, {filter: {simple: "\${exchangeProperty.CamelBatchSize} == 1", steps: [{to: "mock:one"}]}}, {to: "sql:insert into seen values (:#id)"}]`);
    await eventually(() => (run.mocks.get("rows")?.length ?? 0) > 2);
    expect([await count("state = 'done'"), run.mocks.get("rows")?.every(({ body }) => (body as { id: number }).id === 1)]).toEqual([0, true]);
    await query("delete from seen");
    await eventually(async () => (await count("state = 'done'")) === 3);
    await run.stop();
  });

  it("delivers all rows as a list, an empty list with routeEmptyResultSet, and an empty message with sendEmptyMessageWhenIdle", async () => {
    const list = await flow(`- from: {uri: "sql:select id from jobs where id < :#\${header.none}?${fastPolling}", steps: [{to: "mock:never"}]}`).catch(
      (error: Error) => error,
    );
    expect(list).not.toBeInstanceOf(Error);
    const all = await flow(`- from: {uri: "sql:select id from jobs order by id?${fastPolling}&useIterator=false&repeatCount=1", steps: [{to: "mock:all"}]}`);
    await eventually(() => all.mocks.get("all")?.length === 1);
    expect(all.mocks.get("all")?.[0]?.body).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    const empty = await flow(
      `- from: {uri: "sql:select id from jobs where id > 9?${fastPolling}&useIterator=false&routeEmptyResultSet=true&repeatCount=1", steps: [{to: "mock:empty"}]}`,
    );
    await eventually(() => empty.mocks.get("empty")?.length === 1);
    const idle = await flow(
      `- from: {uri: "sql:select id from jobs where id > 9?${fastPolling}&sendEmptyMessageWhenIdle=true&repeatCount=1", steps: [{to: "mock:idle"}]}`,
    );
    await eventually(() => idle.mocks.get("idle")?.length === 1);
    expect([empty.mocks.get("empty")?.[0]?.body, idle.mocks.get("idle")?.[0]?.body]).toEqual([[], null]);
    for (const run of [all, empty, idle]) await run.stop();
  });

  it("rolls everything back when it is transacted and one run fails", async () => {
    const run = await flow(`
        - from:
            uri: "sql:select * from jobs where state = 'new' order by id?${fastPolling}&transacted=true&onConsume=update jobs set state = 'done' where id = :%23id"
            steps:
              - to: "sql:insert into seen values (:#id)"
              - to: "mock:rows"
              - filter: {simple: "\${body[id]} == 3 && \${bodyAs(String)} contains 'new'", steps: [{filter: {simple: "\${header.x} == null", steps: [{throwException: {exceptionType: java.lang.Exception, message: third}}]}}]}`);
    await eventually(() => (run.mocks.get("rows")?.length ?? 0) >= 6);
    await run.stop();
    expect([await count("state = 'new'"), await query("select count(*) as n from seen")]).toEqual([3, [{ n: 0 }]]);
    expect(host.log.texts.some((text) => text.includes("the transaction was rolled back: third"))).toBe(true);
    const succeeding = await flow(`
        - from:
            uri: "sql:select * from jobs where state = 'new' order by id?${fastPolling}&transacted=true&onConsume=update jobs set state = 'done' where id = :%23id"
            steps: [{to: "sql:insert into seen values (:#id)"}]`);
    await eventually(async () => (await count("state = 'done'")) === 3);
    expect(await query("select count(*) as n from seen")).toEqual([{ n: 3 }]);
    await succeeding.stop();
  });

  it("leaves no transaction open, no matter when it stops during a poll", async () => {
    for (let round = 0; round < 30; round++) {
      const run = await flow(`- from: {uri: "sql:select * from jobs?initialDelay=1&delay=1&transacted=true", steps: [{to: "mock:rows"}]}`);
      await settle(1 + round * 5);
      await run.stop();
    }
    // A transaction that has read the table would block this statement.
    await query("drop table jobs");
  });

  it("commits a transacted block at its end, and rolls it back after a failure or rollback", async () => {
    const run = await flow(`
        - route:
            from:
              uri: direct:start
              steps:
                - transacted: {}
                - to: "sql:insert into seen values (:#id)"
                - split: {simple: "\${body[more]}", steps: [{to: "sql:insert into seen values (#)"}]}
                - to: direct:inner
                - enrich: {constant: "direct:more", aggregationStrategy: "#class:org.apache.camel.processor.aggregate.UseOriginalAggregationStrategy"}
                - choice:
                    when:
                      - {simple: "\${body[end]} == 'fail'", steps: [{throwException: {exceptionType: java.lang.Exception, message: no}}]}
                      - {simple: "\${body[end]} == 'mark'", steps: [{rollback: {markRollbackOnly: true}}]}
        - route: {from: {uri: direct:inner, steps: [{transacted: {}}, {to: "sql:insert into seen values (:#inner)"}]}}
        - route: {from: {uri: direct:more, steps: [{to: "sql:insert into seen values (:#enriched)"}]}}`);
    const send = (from: number, end: string) => run({ body: { id: from, more: [from + 1, from + 2], inner: from + 3, enriched: from + 4, end } });
    expect((await send(10, "fail")).error).toBe("no");
    expect(await query("select count(*) as n from seen")).toEqual([{ n: 0 }]);
    await send(20, "mark");
    expect(await query("select count(*) as n from seen")).toEqual([{ n: 0 }]);
    const outcome = await send(30, "well");
    expect([outcome.error, await query("select id from seen order by id")]).toEqual([undefined, [30, 31, 32, 33, 34].map((id) => ({ id }))]);
  });

  it("keeps a transaction usable after a caught or redelivered failure", async () => {
    const run = await flow(`
        - transacted:
            ref: PROPAGATION_REQUIRED
            steps:
              - to: "sql:insert into seen values (1)"
              - doTry: {steps: [{to: "sql:insert into seen values (1)"}], doCatch: [{exception: [org.springframework.dao.DuplicateKeyException], steps: [{to: "sql:insert into seen values (2)"}]}]}`);
    expect((await run()).error).toBeUndefined();
    expect(await query("select id from seen order by id")).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it("undoes a failed batch or stream inside a transaction, and keeps the transaction usable", async () => {
    const caught = (uri: string, nextSteps: string, id: number) =>
      `- doTry: {steps: [{to: "${uri}"}${nextSteps}], doCatch: [{exception: [java.lang.Exception], steps: [{to: "sql:insert into seen values (${id})"}]}]}`;
    const run = await flow(`
        - transacted:
            ref: PROPAGATION_REQUIRED
            steps:
              - to: "sql:insert into seen values (1)"
              ${caught("sql:insert into seen values (:#id)?batch=true", "", 3)}
              ${caught("sql:select missing from seen?outputType=StreamList", `, {split: {simple: "\${body}", streaming: true, steps: [{log: row}]}}`, 4)}`);
    expect((await run({ body: [{ id: 2 }, { id: 1 }] })).error).toBeUndefined();
    expect(await query("select id from seen order by id")).toEqual([{ id: 1 }, { id: 3 }, { id: 4 }]);
  });

  it("executes the body with jdbc", async () => {
    const run = await flow(`- to: "jdbc:db"`);
    const rows = await run({ body: "select id from jobs order by id" });
    expect([rows.body, rows.headers["CamelJdbcRowCount"], rows.headers["CamelJdbcColumnNames"]]).toEqual([[{ id: 1 }, { id: 2 }, { id: 3 }], 3, ["id"]]);
    expect((await run({ body: "update jobs set state = 'x'" })).headers["CamelJdbcUpdateCount"]).toBe(3);
    const named = await flow(`- to: "jdbc:default?useHeadersAsParameters=true&outputType=SelectOne&readSize=1"`);
    expect(
      (await named({ body: "select state from jobs where id = :?id and state = :?state", headers: { id: 2, CamelJdbcParameters: { state: "x" } } })).body,
    ).toBe("x");
  });

  it("binds hostile values as data, in parameters of jdbc and in columns of rows", async () => {
    await query("create table hostile (n integer primary key, v text, copy text)");
    const insert = await flow(`- to: "jdbc:db?useHeadersAsParameters=true"`);
    for (const [n, v] of hostileValues.entries()) {
      const headers = n % 2 === 0 ? { n, v } : { CamelJdbcParameters: { n, v } };
      expect((await insert({ body: "insert into hostile (n, v) values (:?n, :?v)", headers })).error).toBeUndefined();
    }
    await flow(`
        - from:
            uri: sql:select n, v from hostile where copy is null order by n
            parameters: {dataSource: "#db", initialDelay: 1, delay: 5, onConsume: "update hostile set copy = :#v where n = :#n"}
            steps: [{to: "mock:row"}]`);
    await expect.poll(async () => (await query("select n from hostile where copy is null")).length).toBe(0);
    const rows = await query("select n, v, copy from hostile order by n");
    expect(rows.map(({ v }) => v)).toEqual(hostileValues);
    expect(rows.map(({ copy }) => copy)).toEqual(hostileValues);
  });
});
