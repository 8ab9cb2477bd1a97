// The sink of `sql` in each database available on this machine.
import { afterAll, beforeAll, expect, it } from "vitest";
import { inDatabases } from "../database/databases.test-support.ts";
import { hostileValues } from "../database/hostile-values.test-support.ts";

await inDatabases("sql", ["SQLite", "PostgreSQL", "MariaDB"], (database) => {
  const { flow, query, dialect } = database;
  const key = dialect === "postgres" ? "serial primary key" : dialect === "mysql" ? "integer primary key auto_increment" : "integer primary key";

  beforeAll(async () => {
    await query(`create table orders (id ${key}, item varchar(2000), amount integer, price decimal(30, 4))`);
    await query("insert into orders (item, amount, price) values ('bolt', 3, 1.5), ('nut', 5, 0.25), ('gear', 1, 9.0)");
  });
  afterAll(() => database.end());

  it("binds values of the body, headers and variables by name, and expressions", async () => {
    const run = await flow(`- to: "sql:select item from orders where amount >= :#amount and item <> :#item and amount < :#\${header.top} order by item"`);
    const { body, headers, error } = await run({ body: { amount: 1 }, headers: { item: "gear", top: 6 } });
    expect([error, body, headers["CamelSqlRowCount"]]).toEqual([undefined, [{ item: "bolt" }, { item: "nut" }], 2]);
    const variables = await run({ body: "text", variables: { amount: 5 }, headers: { item: "x", top: 9 } });
    expect(variables.body).toEqual([{ item: "nut" }]);
    expect((await run({ body: {}, headers: { top: 1 } })).error).toContain("'amount'");
  });

  it("binds a null of the body even if a header or variable has the same name", async () => {
    const run = await flow(`- to: "sql:select count(*) as n from orders where cast(:#item as char(9)) is null"`);
    for (const body of [{ item: null }, new Map([["item", null]])])
      expect((await run({ body, headers: { item: "bolt" }, variables: { item: "nut" } })).body).toEqual([{ n: 3 }]);
  });

  it("binds positional values of a list, a string and a single value", async () => {
    const run = await flow(`- to: "sql:select item from orders where amount = # and item = #"`);
    expect((await run({ body: [3, "bolt"] })).body).toEqual([{ item: "bolt" }]);
    expect((await run({ body: "5,nut" })).body).toEqual([{ item: "nut" }]);
    expect((await run({ body: [3] })).error).toContain("2 parameters, but the number of values is 1");
    const single = await flow(`- to: "sql:select amount from orders where item = #"`);
    expect((await single({ body: "nut" })).body).toEqual([{ amount: 5 }]);
  });

  it("binds lists", async () => {
    const run = await flow(`- to: "sql:select item from orders where item in (:#in:names) and amount in (:#in:\${header.amounts}) order by item"`);
    const body = { names: ["bolt", "gear", "it's"] };
    expect((await run({ body, headers: { amounts: "1,3" } })).body).toEqual([{ item: "bolt" }, { item: "gear" }]);
    expect((await run({ body: { names: [] }, headers: { amounts: "1" } })).error).toContain("is empty");
  });

  it("returns one row, one value, a header, or nothing", async () => {
    const selectOne = (options: string, where = "item = 'bolt'", columns = "item, amount") =>
      flow(`- to: "sql:select ${columns} from orders where ${where}?outputType=SelectOne${options}"`);
    expect((await (await selectOne(""))({ body: "b" })).body).toEqual({ item: "bolt", amount: 3 });
    expect((await (await selectOne("", "item = 'bolt'", "amount"))({ body: "b" })).body).toBe(3);
    expect((await (await selectOne("", "item = 'none'"))({ body: "b" })).body).toBeNull();
    const many = await (await selectOne("", "amount > 0"))({ body: "b" });
    expect([many.exchange.failure?.type, many.error]).toEqual(["org.springframework.dao.IncorrectResultSizeDataAccessException", expect.stringContaining("3")]);
    const header = await (await selectOne("&outputHeader=found"))({ body: "b" });
    expect([header.body, header.headers["found"]]).toEqual(["b", { item: "bolt", amount: 3 }]);
    const noop = await (await selectOne("&noop=true"))({ body: "b" });
    expect([noop.body, noop.headers["CamelSqlRowCount"]]).toEqual(["b", 1]);
  });

  it("counts changed rows, keeps the body, and returns generated keys", async () => {
    const run = await flow(`
        - setHeader: {name: CamelSqlRetrieveGeneratedKeys, constant: "true"}
        - setHeader: {name: CamelSqlGeneratedColumns, constant: id}
        - to: "sql:insert into orders (item, amount) values (:#item, :#amount)"`);
    const { body, headers, error } = await run({ body: { item: "cog", amount: 8 } });
    expect([error, body, headers["CamelSqlUpdateCount"], headers["CamelSqlGeneratedKeysRowCount"]]).toEqual([undefined, { item: "cog", amount: 8 }, 1, 1]);
    const [{ id }] = headers["CamelSqlGeneratedKeyRows"] as [{ id: number }];
    expect(await query(`select item from orders where id = ${id}`)).toEqual([{ item: "cog" }]);
    const update = await flow(`- to: "sql:update orders set amount = 9 where item = 'cog'"`);
    expect((await update()).headers["CamelSqlUpdateCount"]).toBe(1);
    await query("delete from orders where item = 'cog'");
  });

  it("executes a batch atomically", async () => {
    const run = await flow(`- to: "sql:insert into orders (id, item, amount) values (:#id, :#item, 7)?batch=true"`);
    const items = Array.from({ length: 300 }, (_, index) => ({ id: 1000 + index, item: `i${index}` }));
    expect((await run({ body: items })).headers["CamelSqlUpdateCount"]).toBe(300);
    const failed = await run({
      body: [
        { id: 2000, item: "a" },
        { id: 1000, item: "b" },
      ],
    });
    expect([failed.exchange.failure?.type, failed.exchange.failure?.code]).toEqual(["org.springframework.dao.DuplicateKeyException", "sql-duplicate-key"]);
    expect(await query("select count(*) as n from orders where amount = 7")).toEqual([{ n: 300 }]);
    await query("delete from orders where amount = 7");
  });

  it("executes a statement from a header or the body, without expressions", async () => {
    const header = await flow(`
        - setHeader: {name: CamelSqlQuery, constant: "select amount from orders where item = :#item"}
        - to: "sql:select 1"`);
    expect((await header({ body: { item: "nut" } })).body).toEqual([{ amount: 5 }]);
    const body = await flow(`
        - setHeader: {name: CamelSqlParameters, simple: "nut"}
        - to: "sql:select 1?useMessageBodyForSql=true"`);
    expect((await body({ body: "select amount from orders where item = #" })).body).toEqual([{ amount: 5 }]);
    expect((await body({ body: "select :#${body} as x" })).error).toContain("from a message");
  });

  it("streams rows and releases the session", async () => {
    const run = await flow(`
        - to: "sql:select item from orders order by item?outputType=StreamList&fetchSize=2"
        - split: {simple: "\${body}", streaming: true, steps: [{to: "mock:rows"}]}`);
    for (let round = 0; round < 15; round++) expect((await run()).error).toBeUndefined();
    expect(
      run.mocks
        .get("rows")
        ?.slice(0, 3)
        .map(({ body }) => body),
    ).toEqual([{ item: "bolt" }, { item: "gear" }, { item: "nut" }]);
    const dropped = await flow(`- to: "sql:select item from orders?outputType=StreamList"`);
    for (let round = 0; round < 15; round++) expect((await dropped()).error).toBeUndefined();
  });

  it("keeps numbers, dates and bytes exact", async () => {
    const bytes = dialect === "postgres" ? "bytea" : "blob";
    const stamp = dialect === "postgres" ? "timestamptz" : dialect === "mysql" ? "timestamp(3) null" : "text";
    await query(`create table kinds (a bigint, b decimal(30, 6), c ${bytes}, d ${stamp}, e date, f boolean, g double precision)`);
    const run = await flow(`
        - to: "sql:insert into kinds values (:#a, :#b, :#c, :#d, :#e, :#f, :#g)"
        - to: "sql:select * from kinds?outputType=SelectOne"`);
    const when = new Date("2026-03-29T01:30:00.123Z");
    const body = {
      a: "9007199254740993",
      b: dialect === "sqlite" ? "1.25" : "12345678901234567890.123456",
      c: new Uint8Array([0, 1, 255]),
      d: when,
      e: "2026-03-29",
      f: true,
      g: 0.5,
    };
    const found = (await run({ body })).body as Record<string, unknown>;
    expect(found["a"]).toBe("9007199254740993");
    expect(found["b"]).toBe(dialect === "sqlite" ? 1.25 : "12345678901234567890.123456");
    expect([...(found["c"] as Uint8Array)]).toEqual([0, 1, 255]);
    expect(found["d"]).toEqual(dialect === "sqlite" ? when.toISOString() : when);
    expect([found["e"], found["f"], found["g"]]).toEqual(["2026-03-29", dialect === "sqlite" ? 1 : true, 0.5]);
  });

  it("leaves quoted text and comments unchanged", async () => {
    const run = await flow(`- to: {uri: sql, parameters: {query: "select ':#a # ?' as x, item /* # :#b */ from orders where item = :#item -- # ?\\n"}}`);
    expect((await run({ body: { item: "nut" } })).body).toEqual([{ x: ":#a # ?", item: "nut" }]);
  });

  it("fails with the exceptions that flows catch", async () => {
    const failing = async (statement: string) => (await (await flow(`- to: {uri: sql, parameters: {query: "${statement}"}}`))({ body: {} })).exchange.failure;
    const grammar = await failing("selec 1");
    expect([grammar?.type, (grammar?.cause as { type: string }).type]).toEqual(["org.springframework.jdbc.BadSqlGrammarException", "java.sql.SQLException"]);
    expect((await failing("insert into orders (id) values (1)"))?.type).toBe("org.springframework.dao.DuplicateKeyException");
    const caught = await flow(`
        - doTry:
            steps: [{to: "sql:insert into orders (id) values (1)"}]
            doCatch: [{exception: [java.sql.SQLException], steps: [{setBody: {constant: caught}}]}]`);
    expect((await caught()).body).toBe("caught");
  });

  it("rejects a statement with a part from a message", async () => {
    const run = await flow(`- toD: "sql:select * from orders where item = '\${body}'"`);
    expect((await run({ body: "x' or '1'='1" })).error).toContain("from a message");
  });

  it("binds hostile values as data in the body, a header, a list, a position, an expression and a batch", async () => {
    await query("create table hostile (n integer, source varchar(10), v text)");
    const flows = {
      body: await flow(`- to: "sql:insert into hostile (n, source, v) values (:#n, 'body', :#v)"`),
      header: await flow(`- to: "sql:insert into hostile (n, source, v) values (:#\${header.n}, 'header', :#v)"`),
      position: await flow(`- to: "sql:insert into hostile (n, source, v) values (#, 'position', #)"`),
      expression: await flow(`- to: "sql:insert into hostile (n, source, v) values (:#n, 'expr', :#\${header.v})"`),
      batch: await flow(`- to: "sql:insert into hostile (n, source, v) values (:#n, 'batch', :#v)?batch=true"`),
    };
    for (const [n, v] of hostileValues.entries()) {
      for (const { error } of [
        await flows.body({ body: { n, v } }),
        await flows.header({ headers: { n, v } }),
        await flows.position({ body: [n, v] }),
        await flows.expression({ body: { n }, headers: { v } }),
      ])
        expect(error).toBeUndefined();
    }
    expect((await flows.batch({ body: hostileValues.map((v, n) => ({ n, v })) })).error).toBeUndefined();
    const rows = await query("select n, source, v from hostile order by source, n");
    expect(rows).toHaveLength(5 * hostileValues.length);
    for (const row of rows) expect(row["v"]).toBe(hostileValues[row["n"] as number]);
    const found = await flow(`- to: "sql:select count(*) as c from hostile where v in (:#in:all) and source = 'body'"`);
    expect((await found({ body: { all: hostileValues } })).body).toEqual([{ c: 200 }]);
    expect(await query("select count(*) as n from orders")).toEqual([{ n: 3 }]);
  });
});
