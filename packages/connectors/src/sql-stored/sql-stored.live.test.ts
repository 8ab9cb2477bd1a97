// Procedures and functions in the databases that support them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inDatabases, sqliteDatabase } from "../database/databases.test-support.ts";
import { hostileValues } from "../database/hostile-values.test-support.ts";

await inDatabases("sql-stored", ["PostgreSQL", "MariaDB"], (database) => {
  const { flow, query, dialect } = database;

  beforeAll(async () => {
    await query("create table calls (note varchar(200))");
    if (dialect === "postgres") {
      await query(
        "create procedure add_up(a integer, b integer, out total integer, inout note varchar) language plpgsql as $$ begin total := a + b; note := note || '!'; end $$",
      );
      await query("create procedure add_note(n varchar) language sql as $$ insert into calls values (n) $$");
      await query("create function twice(a integer) returns integer language sql as $$ select a * 2 $$");
      return;
    }
    await query(
      "create procedure add_up(a integer, b integer, out total integer, inout note varchar(200)) begin set total = a + b; set note = concat(note, '!'); end",
    );
    await query("create procedure add_note(n varchar(200)) insert into calls values (n)");
    await query("create procedure two_sets() begin select 1 as a; select 2 as b; end");
    await query("create function twice(a integer) returns integer deterministic return a * 2");
  });
  afterAll(() => database.end());

  it("returns output values", async () => {
    const run = await flow(`- to: "sql-stored:add_up(INTEGER :#a, INTEGER \${header.b}, OUT INTEGER total, INOUT VARCHAR :#note note)"`);
    const { body, error } = await run({ body: { a: 2, note: "it's" }, headers: { b: 40 } });
    expect([error, body]).toEqual([undefined, { total: 42, note: "it's!" }]);
    expect((await run({ body: { note: "x" }, headers: { b: 1 } })).error).toContain("'a'");
  });

  it("passes the whole text as CHAR, and a null of the body instead of a header", async () => {
    await query("delete from calls");
    const run = await flow(`- to: "sql-stored:add_note(CHAR :#n)"`);
    expect((await run({ body: { n: "Berlin" } })).error).toBeUndefined();
    expect((await run({ body: { n: null }, headers: { n: "header" }, variables: { n: "variable" } })).error).toBeUndefined();
    expect((await query("select note from calls")).map(({ note }) => note)).toEqual(["Berlin", null]);
    await query("delete from calls");
  });

  it("calls functions and batches, and keeps the body with outputHeader", async () => {
    const twice = await flow(`- to: "sql-stored:twice(INTEGER :#a, OUT INTEGER result)?function=true&outputHeader=r"`);
    const { headers, body, error } = await twice({ body: { a: 21 } });
    expect([error, headers["r"], body]).toEqual([undefined, { result: 42 }, { a: 21 }]);
    const batch = await flow(`- to: "sql-stored:add_note(VARCHAR :#n)?batch=true&noop=true"`);
    await batch({ body: [{ n: "a" }, { n: "'); drop table calls; --" }] });
    expect(await query("select note from calls order by note desc")).toEqual([{ note: "a" }, { note: "'); drop table calls; --" }]);
  });

  it("binds hostile values as data, through the body, a header and an expression", async () => {
    await query("delete from calls");
    const variants = [
      [await flow(`- to: "sql-stored:add_note(VARCHAR :#n)"`), (v: string) => ({ body: { n: v } })],
      [await flow(`- to: "sql-stored:add_note(VARCHAR :#n)"`), (v: string) => ({ headers: { n: v } })],
      [await flow(`- to: "sql-stored:add_note(VARCHAR \${body})"`), (v: string) => ({ body: v })],
    ] as const;
    for (const [run, inputOf] of variants) for (const value of hostileValues) expect((await run(inputOf(value))).error).toBeUndefined();
    const found = (await query("select note from calls")).map(({ note }) => note as string);
    expect(found.toSorted()).toEqual([...hostileValues, ...hostileValues, ...hostileValues].toSorted());
  });

  // A PostgreSQL procedure returns no result sets.
  if (dialect === "mysql")
    it("returns every result set", async () => {
      const run = await flow(`- to: "sql-stored:two_sets()"`);
      expect((await run()).body).toEqual({ "#result-set-1": [{ a: 1 }], "#result-set-2": [{ b: 2 }] });
    });

  it("uses the template of a header, without expressions", async () => {
    const run = await flow(`
        - setHeader: {name: CamelSqlStoredTemplate, simple: "\${header.template}"}
        - to: "sql-stored:add_note(VARCHAR :#n)"`);
    expect((await run({ body: { n: "h" }, headers: { template: "add_note(VARCHAR :#n)" } })).error).toBeUndefined();
    expect((await run({ body: "x", headers: { template: "add_note(VARCHAR ${body})" } })).error).toContain("from a message");
    expect((await run({ body: {}, headers: { template: "add_note(); drop table calls" } })).error).toContain("is not a valid call");
  });
});

describe("sql-stored in SQLite", () => {
  it("is rejected", async () => {
    const database = await sqliteDatabase();
    expect((await (await database.flow(`- to: "sql-stored:x(INTEGER :#a)"`))({ body: { a: 1 } })).error).toContain("SQLite has no stored procedures");
    await expect(database.flow(`- to: "sql-stored:x(STRUCT :#a)"`)).rejects.toThrow("unknown type of parameter");
    await database.end();
  });
});
