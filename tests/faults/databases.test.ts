// The faults of docs/operations/connector-faults.md for databases, on servers used only by this test: connections are dropped or go
// silent, the server and the runtime are killed, routes are replaced, fail or are slow, and the server repeats secrets in its errors.
import { createRequire } from "node:module";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FaultyLink, guardedUser, serverFor, type TestServer } from "@sluice/testkit";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spawnServer } from "../spawned-server.ts";
import { sleep, startTestServer, type StartedServer } from "../started-server.ts";
import { residentBytes } from "../process-usage.ts";
import { expectNoSecretShown, failingWebhook } from "./shown-secrets.ts";

type Row = Record<string, unknown>;

interface Admin {
  connect(): Promise<void>;
  query(text: string): Promise<{ readonly rows: readonly Row[] }>;
  end(): Promise<void>;
  on(event: "error", listener: () => void): void;
}
const { Client } = createRequire(new URL("../../packages/connectors/package.json", import.meta.url))("pg") as { Client: new (config: object) => Admin };

interface Family {
  readonly title: string;
  readonly server: "postgres" | "mariadb";
  readonly connection: (port: number) => { readonly type: string; readonly values: Row };
  query(port: number, text: string): Promise<readonly Row[]>;
  readonly setUp: string;
  numbers(count: number): string;
  insertOnce(table: string): string;
  /** Statements that create a user whose password the server checks. */
  readonly createUser: readonly string[];
  changePassword(password: string): string;
  /** A statement that fails with this parameter in its message. */
  readonly leak: { readonly setUp: string; readonly statement: string };
}

const families: readonly Family[] = [
  {
    title: "PostgreSQL",
    server: "postgres",
    connection: (port) => ({ type: "postgres", values: { host: "127.0.0.1", port, user: "postgres", database: "postgres" } }),
    async query(port, text) {
      const admin = new Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
      admin.on("error", () => undefined);
      await admin.connect();
      return admin
        .query(text)
        .then(({ rows }) => rows)
        .finally(() => admin.end());
    },
    setUp: "select 1",
    numbers: (count) => `select generate_series(1, ${count})`,
    insertOnce: (table) => `insert into ${table} values (:#id) on conflict do nothing`,
    createUser: [`create role ${guardedUser.name} login superuser password '${guardedUser.password}'`],
    changePassword: (password) => `alter role ${guardedUser.name} password '${password}'`,
    leak: {
      setUp: "create function leak(v text) returns text language plpgsql as $$ begin raise exception 'denied for %', v; end $$",
      statement: "select leak(:#${body})",
    },
  },
  {
    title: "MariaDB",
    server: "mariadb",
    connection: (port) => ({ type: "mysql", values: { host: "127.0.0.1", port, user: "root", database: "faults" } }),
    async query(port, text) {
      const admin = await mysql.createConnection({ host: "127.0.0.1", port, user: "root" });
      admin.on("error", () => undefined);
      return admin
        .query("create database if not exists faults")
        .then(() => admin.query("use faults"))
        .then(async () => (await admin.query(text))[0] as unknown as readonly Row[])
        .finally(() => admin.end());
    },
    setUp: "create database if not exists faults",
    numbers: (count) => `select seq from seq_1_to_${count}`,
    insertOnce: (table) => `insert ignore into ${table} values (:#id)`,
    createUser: [`create user ${guardedUser.name}@'%' identified by '${guardedUser.password}'`, `grant all on *.* to ${guardedUser.name}@'%'`],
    changePassword: (password) => `alter user ${guardedUser.name}@'%' identified by '${password}'`,
    leak: {
      setUp: "create function leak(v text) returns text begin signal sqlstate '45000' set message_text = v; return v; end",
      statement: "select leak(:#${body})",
    },
  },
];

for (const family of families) {
  const server = await serverFor(family.server, { own: true });
  describe.skipIf(server === undefined)(`a database under faults (needs ${family.title})`, () => defineFaultTests(family, server as TestServer));
}

function defineFaultTests(family: Family, database: TestServer): void {
  const started: StartedServer[] = [];
  const query = (text: string): Promise<readonly Row[]> => family.query(database.port, text);
  const count = async (from: string): Promise<number> => Number((await query(`select count(*) as n from ${from}`))[0]?.["n"]);
  const createTable = async (name: string, rows: number): Promise<void> => {
    await query(`create table ${name} (id integer primary key, state varchar(10) default 'new', consumed integer default 0)`);
    await query(`create table ${name}_effects (id integer primary key)`);
    await query(`insert into ${name} (id) ${family.numbers(rows)}`);
  };
  const flowOf = (name: string, transacted: boolean, extra = "", delay = 5): string => {
    const effect = transacted
      ? `{to: "sql:insert into ${name}_effects values (:#id)?dataSource=#${name}"}`
      : `{idempotentConsumer: {simple: "\${body[id]}", idempotentRepository: seen, steps: [{to: "sql:${family.insertOnce(`${name}_effects`)}?dataSource=#${name}"}]}}`;
    return `
- beans: [{name: seen, type: "#class:org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository", properties: {dataSource: ${name}, processorName: ${name}}}]
- route:
    id: ${name}
    from:
      uri: sql:select id from ${name} where state = 'new' order by id limit 200${transacted ? " for update skip locked" : ""}
      parameters: {dataSource: "#${name}", initialDelay: 1, delay: ${delay}, transacted: "${transacted}", onConsume: "update ${name} set state = 'done', consumed = consumed + 1 where id = :#id and state = 'new'"}
      steps: [${extra}${effect}]
`;
  };
  type Api = Pick<StartedServer, "api" | "putFlow">;
  const connectionOf = (port: number, extra: Row = {}): object => {
    const { type, values } = family.connection(port);
    return { type, values: { ...values, connectTimeout: 2000, ...extra } };
  };
  const install = async (target: Api, name: string, port: number, flow: string): Promise<void> => {
    const put = await target.api("PUT", `/connections/${name}?force=true`, connectionOf(port));
    expect([put.status, put.text]).toEqual([201, expect.any(String)]);
    const { status, text } = await target.putFlow(name, flow);
    expect([status, text]).toEqual([201, expect.any(String)]);
  };
  const start = async (): Promise<StartedServer> => {
    const runtime = await startTestServer();
    started.push(runtime);
    return runtime;
  };
  const deploy = async (name: string, port: number, transacted: boolean): Promise<StartedServer> => {
    const runtime = await start();
    await install(runtime, name, port, flowOf(name, transacted));
    return runtime;
  };
  const statusOf = async ({ api }: Api, name: string): Promise<string> =>
    ((await api("GET", `/flows/${name}`)).json.routes as readonly { id: string; status: string }[]).find(({ id }) => id === name)?.status ?? "none";
  const waitUntilDone = (name: string, rows: number): Promise<void> =>
    expect.poll(() => count(`${name} where state = 'done'`), { timeout: 240_000, interval: 500 }).toBe(rows);
  const expectOnce = async (name: string, rows: number): Promise<void> =>
    expect([await count(`${name}_effects`), await count(`${name} where consumed <> 1`)]).toEqual([rows, 0]);
  beforeAll(async () => {
    for (const text of [family.setUp, ...family.createUser]) await query(text);
  });
  afterAll(async () => {
    for (const runtime of started) await runtime.end();
    await database.end();
  });

  it("20,000 rows while the connection is dropped 20 times: each effect and each onConsume happens once", async () => {
    await createTable("cut", 20_000);
    const link = await FaultyLink.to(database);
    await deploy("cut", link.port, false);
    for (let cut = 0; cut < 20; cut++) {
      await sleep(400);
      link.cut();
    }
    await waitUntilDone("cut", 20_000);
    await expectOnce("cut", 20_000);
    await link.close();
  });

  for (const transacted of [false, true])
    it(`the server is killed under load and restarted${transacted ? ", transacted" : ""}: no row is lost or partially processed`, async () => {
      const name = transacted ? "killed_tx" : "killed";
      await createTable(name, 4000);
      const runtime = await deploy(name, database.port, transacted);
      await expect.poll(() => count(`${name}_effects`), { timeout: 30_000 }).toBeGreaterThan(300);
      await database.kill();
      await expect.poll(() => statusOf(runtime, name), { timeout: 5000 }).toBe("Failed");
      await database.restart();
      await expect.poll(() => statusOf(runtime, name), { timeout: 10_000 }).toBe("Started");
      await waitUntilDone(name, 4000);
      await expectOnce(name, 4000);
    });

  it("the server is down when a flow is deployed and when the runtime starts: the route starts once it is up", async () => {
    await createTable("late", 10);
    const link = await FaultyLink.to(database);
    await link.refuse();
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const first = await startTestServer({ dataDir });
    const startTime = Date.now();
    await install(first, "late", link.port, flowOf("late", false));
    expect(Date.now() - startTime).toBeLessThan(3000);
    const health = async ({ api }: Api): Promise<string> => {
      const { connections } = (await api("GET", "/health")).json as { connections: readonly { id: string; state: string; problem?: string }[] };
      const found = connections.find(({ id }) => id === "late");
      return `${found?.state} ${found?.problem}`;
    };
    await expect.poll(() => health(first), { timeout: 5000 }).toMatch(/^down .*(ECONNREFUSED|closed)/);
    await first.stop();
    const second = await startTestServer({ dataDir });
    started.push(second);
    await expect.poll(() => health(second), { timeout: 5000 }).toMatch(/^down /);
    await link.open();
    await expect.poll(() => statusOf(second, "late"), { timeout: 35_000 }).toBe("Started");
    await waitUntilDone("late", 10);
    await link.close();
  });

  it("a route that is replaced under load leaves nothing partially processed, and continues where it stopped", async () => {
    await createTable("replaced", 4000);
    const runtime = await deploy("replaced", database.port, true);
    for (const delay of [6, 7, 8]) {
      await sleep(300);
      expect((await runtime.putFlow("replaced", flowOf("replaced", true, "", delay))).status).toBe(200);
      expect(await count("replaced r where (state = 'done') <> exists (select 1 from replaced_effects e where e.id = r.id)")).toBe(0);
    }
    await waitUntilDone("replaced", 4000);
    await expectOnce("replaced", 4000);
  });

  it("the runtime is killed under load, twice: each transacted row is processed once", async () => {
    await createTable("crashed", 4000);
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    const first = await spawnServer({ dataDir });
    await install(first, "crashed", database.port, flowOf("crashed", true));
    await expect.poll(() => count("crashed_effects"), { timeout: 30_000 }).toBeGreaterThan(300);
    await first.end("SIGKILL");
    const restarted = await spawnServer({ dataDir });
    const before = await count("crashed_effects");
    await expect.poll(() => count("crashed_effects"), { timeout: 30_000 }).toBeGreaterThan(before + 300);
    await restarted.end("SIGKILL");
    const last = await spawnServer({ dataDir });
    await waitUntilDone("crashed", 4000);
    await expectOnce("crashed", 4000);
    await last.end();
    last.clean();
  });

  it("shares 10,000 rows between two runtimes while the server is down for 20 s: health reports it, and each effect occurs once", async () => {
    await createTable("shared", 10_000);
    const runtimes = [await deploy("shared", database.port, true), await deploy("shared", database.port, true)];
    await expect.poll(() => count("shared_effects"), { timeout: 30_000 }).toBeGreaterThan(300);
    await database.kill();
    const health = async (): Promise<string> => (await runtimes[0]?.api("GET", "/health"))?.text ?? "";
    await expect.poll(health, { timeout: 5000 }).toContain('"DEGRADED"');
    await sleep(20_000);
    expect(await health()).toMatch(/ECONNREFUSED|closed|terminated/);
    await database.restart();
    await expect.poll(health, { timeout: 35_000 }).not.toContain('"DEGRADED"');
    await waitUntilDone("shared", 10_000);
    await expectOnce("shared", 10_000);
  });

  it("a route fails for every tenth row: these rows stay unchanged, the others are processed", async () => {
    await createTable("failing", 400);
    const runtime = await start();
    const failure = `{filter: {simple: "\${body[id]} regex '[0-9]*0'", steps: [{throwException: {exceptionType: java.io.IOException, message: broken}}]}}, `;
    await install(runtime, "failing", database.port, flowOf("failing", false, failure));
    await waitUntilDone("failing", 360);
    expect([await count("failing where state = 'new' and id % 10 = 0"), await count("failing_effects"), await count("failing where consumed > 1")]).toEqual([
      40, 360, 0,
    ]);
    await runtime.api("DELETE", "/flows/failing");
  });

  it("a link that goes silent fails the poll in time, and the route recovers", async () => {
    await createTable("silent", 3000);
    const link = await FaultyLink.to(database);
    const runtime = await start();
    await install(runtime, "silent", link.port, flowOf("silent", false, "{delay: {constant: 1}}, "));
    await expect.poll(() => count("silent_effects"), { timeout: 30_000 }).toBeGreaterThan(50);
    link.silence();
    await expect.poll(() => statusOf(runtime, "silent"), { timeout: 75_000 }).toBe("Failed");
    link.silence(false);
    link.cut();
    await expect.poll(() => statusOf(runtime, "silent"), { timeout: 35_000 }).toBe("Started");
    await waitUntilDone("silent", 3000);
    await expectOnce("silent", 3000);
    await link.close();
  });

  it("the password is wrong, then correct: the client rarely retries, then the route starts", async () => {
    await createTable("guarded", 10);
    const link = await FaultyLink.to(database);
    const runtime = await start();
    const withPassword = (password: string): object => connectionOf(link.port, { user: guardedUser.name, password });
    expect((await runtime.api("PUT", "/connections/guarded?force=true", withPassword("wrong-password"))).status).toBe(201);
    expect((await runtime.putFlow("guarded", flowOf("guarded", false))).status).toBe(201);
    await expect.poll(() => statusOf(runtime, "guarded"), { timeout: 10_000 }).toBe("Failed");
    const before = link.accepted;
    await sleep(20_000);
    expect(link.accepted - before).toBeLessThanOrEqual(1);
    const { status, text } = await runtime.api("PUT", "/connections/guarded", withPassword(guardedUser.password));
    expect([status, text]).toEqual([200, expect.any(String)]);
    await waitUntilDone("guarded", 10);
    await link.close();
  });

  it("a route is far slower than the server: rows are not read ahead of it", async () => {
    await query(`create table slow (id integer primary key, note text, state varchar(10) default 'new')`);
    await query(`insert into slow (id) ${family.numbers(1000)}`);
    await query("update slow set note = repeat('x', 60000)");
    const slow = await spawnServer();
    const flow = `
- route:
    id: slow
    from:
      uri: sql:select id, note from slow where state = 'new' order by id limit 20
      parameters: {dataSource: "#slow", initialDelay: 1, delay: 5, onConsume: "update slow set state = 'done' where id = :#id"}
      steps: [{delay: {constant: 50}}]
`;
    await install(slow, "slow", database.port, flow);
    await expect.poll(() => count("slow where state = 'done'"), { timeout: 20_000 }).toBeGreaterThan(10);
    const before = residentBytes(slow.pid);
    await sleep(10_000);
    expect(await count("slow where state = 'done'")).toBeGreaterThan(50);
    expect((residentBytes(slow.pid) - before) / 1024 / 1024).toBeLessThan(60);
    await slow.end();
    slow.clean();
  });

  it("1,000 passwords that the server repeats in its errors are in no log, run, trace or reply", async () => {
    await query(family.leak.setUp);
    const runtime = await start();
    const makeSecret = async (password: string): Promise<void> => {
      await query(family.changePassword(password));
      const { status } = await runtime.api("PUT", "/connections/leak?force=true", connectionOf(database.port, { user: guardedUser.name, password }));
      expect(status).toBeLessThan(300);
    };
    await makeSecret("first-password");
    const statement = `{to: {uri: "sql:${family.leak.statement}", parameters: {dataSource: "#leak"}}}`;
    expect((await runtime.putFlow("leak", failingWebhook("leak", statement))).status).toBe(201);
    await expectNoSecretShown(runtime, { name: "leak", makeSecret, failure: /\*\*\*/ });
  });
}
