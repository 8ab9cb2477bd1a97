// Databases in a runtime: flows from Camel, lost connections, failing runs, two runtimes on one table.
import { createRequire } from "node:module";
import { FaultyLink, serverFor } from "@sluice/testkit";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, startTestServer, type StartedServer } from "./started-server.ts";

interface Admin {
  query(text: string): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
  end(): Promise<void>;
}

const server = await serverFor("postgres");
const { Client } = createRequire(new URL("../packages/connectors/package.json", import.meta.url))("pg") as {
  Client: new (config: object) => Admin & { connect(): Promise<void> };
};
const schema = `sluice_runtime_${process.pid}`;
const password = "s3cret-of-the-database";

describe.skipIf(server === undefined)("databases in a runtime (needs PostgreSQL)", () => {
  const { port = 0 } = server ?? {};
  const admin = new Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`create schema ${schema}`);
  });
  const count = async (from: string): Promise<number> => Number((await admin.query(`select count(*) as n from ${schema}.${from}`)).rows[0]?.["n"]);
  const started: StartedServer[] = [];
  const links: FaultyLink[] = [];
  const start = async (): Promise<StartedServer> => {
    const runtime = await startTestServer();
    started.push(runtime);
    // In a flow a password is a parameter; its value is masked.
    const putFlow: StartedServer["putFlow"] = (id, yaml) => runtime.putFlow(id, yaml, { "db.password": { value: password, secret: true } });
    return { ...runtime, putFlow };
  };
  const linkTo = async (): Promise<FaultyLink> => {
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    links.push(link);
    return link;
  };
  const bean = (at: number, name = "orders"): string => `
- beans:
    - name: ${name}
      type: "#class:org.apache.commons.dbcp2.BasicDataSource"
      properties:
        url: jdbc:postgresql://127.0.0.1:${at}/postgres?currentSchema=${schema}
        username: postgres
        password: "{{db.password}}"`;
  afterAll(async () => {
    for (const runtime of started) await runtime.end();
    for (const link of links) await link.close();
    await admin.query(`drop schema ${schema} cascade`);
    await admin.end();
    await server?.end();
  });

  it("uses the only data source of the flow when an endpoint names none", async () => {
    await admin.query(`create table ${schema}.wired (item text)`);
    const runtime = await start();
    const route = (id: string) => `- route: {id: ${id}, from: {uri: webhook, steps: [{to: "sql:insert into wired values (:#\${body})"}]}}`;
    expect((await runtime.putFlow("wired", `${bean(port)}\n${route("wired")}`)).status).toBe(201);
    expect((await call(runtime.baseUrl, "POST", "/api/wired", "lamp")).status).toBe(200);
    expect(await count("wired")).toBe(1);
    const several = await runtime.putFlow("several", `${bean(port)}${bean(port, "others")}\n${route("several")}`);
    expect([several.status, several.text]).toEqual([422, expect.stringContaining("the flow has several matching beans (orders, others)")]);
  });

  it("runs a Camel flow: a webhook inserts and returns the generated key, and no password is shown", async () => {
    await admin.query(`create table ${schema}.orders (id serial primary key, item text)`);
    const runtime = await start();
    const deployed = await runtime.putFlow(
      "insert",
      `${bean(port)}
- from:
    uri: platform-http:/orders
    steps:
      - unmarshal: {json: {}}
      - setHeader: {name: CamelSqlRetrieveGeneratedKeys, constant: "true"}
      - setHeader: {name: CamelSqlGeneratedColumns, constant: id}
      - to: "sql:insert into orders (item) values (:#item)?dataSource=#orders"
      - setBody: {simple: "\${header.CamelSqlGeneratedKeyRows[0][id]}"}
`,
    );
    expect([deployed.status, deployed.text]).toEqual([201, expect.any(String)]);
    const replies = await Promise.all(
      [1, 2, 3].map((n) => call(runtime.baseUrl, "POST", "/orders", JSON.stringify({ item: `item ${n}` }), { "content-type": "application/json" })),
    );
    expect(replies.map(({ text }) => text).toSorted()).toEqual(["1", "2", "3"]);
    expect(await count("orders")).toBe(3);
    for (const path of ["/flows/insert", "/health", "/runs", "/catalog"]) expect((await runtime.api("GET", path)).text).not.toContain(password);
    expect(runtime.logText()).not.toContain(password);
  });

  it("can be a connection of the API: tested with its version, used by a flow, and shown without its password", async () => {
    await admin.query(`create table ${schema}.numbered (id serial primary key, item text)`);
    const runtime = await start();
    const values = { host: "127.0.0.1", port, user: "postgres", database: "postgres", schema, password };
    expect((await runtime.api("PUT", "/connections/orders", { type: "postgres", values })).status).toBe(201);
    expect((await runtime.api("POST", "/connections/orders/test", {})).json).toMatchObject({ ok: true, server: expect.stringMatching(/^PostgreSQL \d+/) });
    const keys = "{setHeader: {name: CamelSqlRetrieveGeneratedKeys, constant: 'true'}}, {setHeader: {name: CamelSqlGeneratedColumns, constant: id}}";
    const flow = `- route: {id: keyed, from: {uri: webhook, steps: [{convertBodyTo: {type: String}}, ${keys}, {to: "sql:insert into numbered (item) values (:#\${body})?dataSource=#orders"}, {setBody: {simple: "\${header.CamelSqlGeneratedKeyRows[0][id]}"}}]}}`;
    expect((await runtime.putFlow("keyed", flow)).status).toBe(201);
    expect((await call(runtime.baseUrl, "POST", "/api/keyed", "lamp")).text).toBe("1");
    for (const path of ["/connections", "/connections/orders", "/flows/keyed", "/health", "/runs"])
      expect((await runtime.api("GET", path)).text).not.toContain(password);
  });

  it("is deployed while its server is down, reports the reason, and starts when the server is up", async () => {
    const link = await linkTo();
    await link.refuse();
    await admin.query(`create table ${schema}.late (id integer primary key, done boolean default false)`);
    await admin.query(`insert into ${schema}.late (id) values (1)`);
    const runtime = await start();
    const { status } = await runtime.putFlow(
      "late",
      `${bean(link.port)}
- route: {id: late, from: {uri: "sql:select * from late where not done?dataSource=%23orders&initialDelay=1&delay=50&onConsume=update late set done = true where id = :%23id", steps: [{log: "\${body}"}]}}
`,
    );
    // The deployment does not wait for the server.
    expect(status).toBe(201);
    const route = async (): Promise<string> => (await runtime.api("GET", "/flows/late")).text;
    await expect.poll(route).toMatch(/"status":"Failed"/);
    await link.open();
    await expect.poll(() => count("late where done")).toBe(1);
    await expect.poll(route).toMatch(/"status":"Started"/);
  });

  it("processes every row although the connection is dropped and every tenth run fails, each effect once", async () => {
    const rows = 200;
    const link = await linkTo();
    await admin.query(`create table ${schema}.jobs (id integer primary key, state text default 'new', tries integer default 0)`);
    await admin.query(`create table ${schema}.effects (id integer primary key)`);
    await admin.query(`insert into ${schema}.jobs (id) select generate_series(1, ${rows})`);
    const runtime = await start();
    const { status, text } = await runtime.putFlow(
      "jobs",
      `${bean(link.port)}
- beans: [{name: seen, type: "#class:org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository", properties: {dataSource: "#orders", processorName: jobs}}]
- from:
    uri: sql:select * from jobs where state = 'new' order by id
    parameters: {dataSource: "#orders", initialDelay: 1, delay: 20, maxMessagesPerPoll: 10, onConsume: "update jobs set state = 'done' where id = :#id", onConsumeFailed: "update jobs set state = 'failed' where id = :#id"}
    steps:
      - filter: {simple: "\${body[id]} regex '[0-9]*0'", steps: [{throwException: {exceptionType: java.lang.Exception, message: every tenth}}]}
      - idempotentConsumer:
          simple: "\${body[id]}"
          idempotentRepository: seen
          steps: [{to: "sql:insert into effects values (:#id)?dataSource=#orders"}]
`,
    );
    expect([status, text]).toEqual([201, expect.any(String)]);
    // The connection is cut each time when a further part of the rows is processed.
    const processed = (): Promise<number> => count("jobs where state <> 'new' or id % 10 = 0");
    for (const due of [40, 80, 120, 160]) {
      await expect.poll(processed).toBeGreaterThanOrEqual(due);
      link.cut();
    }
    await expect.poll(processed).toBe(rows);
    await expect.poll(() => count("jobs where state = 'new'")).toBe(0);
    expect(await count("effects where id % 10 = 0")).toBe(0);
    // If the connection was dropped before the response to the insert, a row may be marked as failed although its effect was written.
    expect(await count("jobs j where state = 'done' and not exists (select 1 from " + schema + ".effects e where e.id = j.id)")).toBe(0);
    expect(await count("jobs where state = 'failed' and id % 10 = 0")).toBe(rows / 10);
  });

  it("shares a table between two runtimes: every row once, even while the database is down", async () => {
    const link = await linkTo();
    await admin.query(`create table ${schema}.shared (id integer primary key, state text default 'new')`);
    await admin.query(`create table ${schema}.worked (id integer primary key, worker text)`);
    for (const worker of ["a", "b"]) {
      const runtime = await start();
      const { status, text } = await runtime.putFlow(
        "shared",
        `${bean(link.port)}
- from:
    uri: sql:select * from shared where state = 'new' order by id limit 50 for update skip locked
    parameters: {dataSource: "#orders", initialDelay: 1, delay: 10, transacted: "true", onConsume: "update shared set state = 'done' where id = :#id"}
    steps:
      - setHeader: {name: worker, constant: ${worker}}
      - to: "sql:insert into worked values (:#id, :#worker)?dataSource=#orders"
`,
      );
      expect([status, text]).toEqual([201, expect.any(String)]);
    }
    let rows = 0;
    const insert = async (more: number): Promise<void> => {
      await admin.query(`insert into ${schema}.shared (id) select generate_series(${rows + 1}, ${rows + more})`);
      rows += more;
    };
    const areDone = () => expect.poll(() => count("shared where state = 'done'")).toBe(rows);
    const worked = (worker: string): Promise<number> => count(`worked where worker = '${worker}'`);
    do {
      await insert(200);
      await areDone();
    } while ((await worked("a")) === 0 || (await worked("b")) === 0);
    const health = async (): Promise<string> => (await (started.at(-1) as StartedServer).api("GET", "/health")).text;
    await insert(400);
    await link.refuse();
    await expect.poll(health).toContain("DEGRADED");
    await link.open();
    await areDone();
    expect(await count("worked")).toBe(rows);
    await expect.poll(health).not.toContain("DEGRADED");
  });
});

const mariadb = await serverFor("mariadb");

describe.skipIf(mariadb === undefined)("a database of a runtime (needs MariaDB)", () => {
  it("processes every row although connections are dropped, each effect once", async () => {
    const rows = 300;
    const { port = 0 } = mariadb ?? {};
    const admin = await mysql.createConnection({ host: "127.0.0.1", port, user: "root", multipleStatements: true });
    const count = async (from: string): Promise<number> => Number(((await admin.query(`select count(*) as n from ${from}`))[0] as { n: number }[])[0]?.n);
    await admin.query(`create database ${schema}; use ${schema}; create table jobs (id integer primary key, state varchar(10) default 'new');
      create table effects (id integer); insert into jobs (id) select seq from seq_1_to_${rows}`);
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    const runtime = await startTestServer();
    const { status, text } = await runtime.putFlow(
      "jobs",
      `
- beans:
    - {name: db, type: org.mariadb.jdbc.MariaDbDataSource, properties: {url: "jdbc:mariadb://127.0.0.1:${link.port}/${schema}", user: root}}
- from:
    uri: sql:select id from jobs where state = 'new' order by id limit 10 for update skip locked
    parameters: {dataSource: "#db", initialDelay: 1, delay: 10, transacted: "true", onConsume: "update jobs set state = 'done' where id = :#id"}
    steps: [{to: "sql:insert into effects values (:#id)?dataSource=#db"}]
`,
    );
    expect([status, text]).toEqual([201, expect.any(String)]);
    for (const due of [50, 100, 150, 200, 250]) {
      await expect.poll(() => count("effects")).toBeGreaterThanOrEqual(due);
      link.cut();
    }
    await expect.poll(() => count("jobs where state = 'done'")).toBe(rows);
    expect([await count("effects"), await count("(select distinct id from effects) as each_one")]).toEqual([rows, rows]);
    await runtime.end();
    await link.close();
    await admin.end();
    await mariadb?.end();
  });
});
