// Faults of PostgreSQL notifications, on a server that only this test uses. PostgreSQL does not store
// notifications, so a route receives only those sent while it is listening. After each fault it must listen again.
import { createRequire } from "node:module";
import { FaultyLink, guardedUser, serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectEventually, sometimesFailingSteps, numberedMessages, startBrokerRuntime, uniqueName, type BrokerRuntime } from "../broker-runtime.ts";
import { spawnServer } from "../spawned-server.ts";
import { sleep } from "../started-server.ts";
import { residentBytes } from "../process-usage.ts";

interface Client {
  connect(): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  end(): Promise<void>;
  on(event: "error", listener: () => void): void;
}
const pg = createRequire(new URL("../../packages/connectors/package.json", import.meta.url))("pg") as { Client: new (config: object) => Client };
const server = await serverFor("postgres", { own: true });

describe.skipIf(server === undefined)("pgevent under faults (needs PostgreSQL)", () => {
  const postgres = server as TestServer;
  let runtime: BrokerRuntime;
  let client: Client;
  const reconnect = async (): Promise<void> => {
    client = new pg.Client({ host: "127.0.0.1", port: postgres.port, user: "postgres", database: "postgres" });
    client.on("error", () => undefined);
    await client.connect();
  };
  beforeAll(async () => {
    await reconnect();
    await client.query(`create role ${guardedUser.name} login superuser password '${guardedUser.password}'`);
    await client.query("create table received (channel text, payload text, number serial)");
    runtime = await startBrokerRuntime();
  });
  afterAll(async () => {
    await runtime.end();
    await client.end();
    await postgres.end();
  });

  const connect = async (name: string, port: number, extra: object = {}, { api }: Pick<BrokerRuntime, "api"> = runtime): Promise<void> => {
    const values = { host: "127.0.0.1", port, user: "postgres", database: "postgres", connectTimeout: 2000, ...extra };
    const { status, text } = await api("PUT", `/connections/${name}?force=true`, { type: "postgres", values });
    expect([status < 300, text]).toEqual([true, expect.any(String)]);
  };
  const listeningRoute = (name: string, steps = ""): string =>
    `- route: {id: ${name}, from: {uri: "pgevent:unused:1/db/${name}?datasource=#${name}&reconnectDelay=200", steps: [${steps}{to: "sql:insert into received (channel, payload) values ('${name}', :#\${body})?dataSource=#${name}"}]}}`;
  const notify = (name: string, text: string): Promise<unknown> => client.query("select pg_notify($1, $2)", [name, text]);
  const received = async (name: string): Promise<readonly unknown[]> =>
    (await client.query("select payload from received where channel = $1 order by number", [name])).rows.map(({ payload }) => payload);
  /** Sends the notification repeatedly, because notifications are lost until the route listens. */
  const notifyUntilReceived = (name: string, text: string, withinMs = 20_000): Promise<void> =>
    expectEventually(
      async () => {
        await notify(name, text);
        return (await received(name)).includes(text);
      },
      true,
      withinMs,
    );

  it("the connection is dropped 20 times: the route listens again each time", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to(postgres);
    await connect(name, link.port);
    await runtime.deploy(name, listeningRoute(name));
    for (let cut = 0; cut < 20; cut++) {
      await notifyUntilReceived(name, `after ${cut} cuts`);
      link.cut();
    }
    await notifyUntilReceived(name, "after all cuts");
    await link.close();
  });

  it("the server is killed and restarted: the route listens again", async () => {
    const name = uniqueName();
    await connect(name, postgres.port);
    await runtime.deploy(name, listeningRoute(name));
    await notifyUntilReceived(name, "before");
    await postgres.kill();
    await expectEventually(() => runtime.routeStatus(name), "Failed", 5000);
    await postgres.restart();
    await reconnect();
    await expectEventually(() => runtime.routeStatus(name), "Started", 10_000);
    await notifyUntilReceived(name, "after");
  });

  it("starts while the server is down, detects an unresponsive connection, and waits for the correct password", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to(postgres);
    await link.refuse();
    await connect(name, link.port, { user: guardedUser.name, password: "wrong-password" });
    const startTime = Date.now();
    await runtime.deploy(name, listeningRoute(name));
    expect(Date.now() - startTime).toBeLessThan(3000);
    expect(await runtime.routeStatus(name)).toBe("Failed");
    await link.open();
    await expectEventually(async () => (await runtime.api("GET", "/health")).text.includes("password authentication failed"), true, 40_000);
    const before = link.accepted;
    await sleep(20_000);
    expect(link.accepted - before).toBeLessThanOrEqual(1);
    await connect(name, link.port, { user: guardedUser.name, password: guardedUser.password });
    await expectEventually(() => runtime.routeStatus(name), "Started", 10_000);
    await notifyUntilReceived(name, "with the right password");
    link.silence();
    await expectEventually(() => runtime.routeStatus(name), "Failed", 75_000);
    link.silence(false);
    link.cut();
    await expectEventually(() => runtime.routeStatus(name), "Started", 35_000);
    await notifyUntilReceived(name, "after the silence");
    await link.close();
  });

  it("a route fails for every tenth notification: these become dead letters, the others arrive in order", async () => {
    const name = uniqueName();
    await connect(name, postgres.port);
    await runtime.deploy(name, listeningRoute(name, `${sometimesFailingSteps}, `));
    await notifyUntilReceived(name, "first");
    await client.query("delete from received where channel = $1", [name]);
    for (const text of numberedMessages(500)) await notify(name, text);
    const others = numberedMessages(500).filter((text) => !text.endsWith("7"));
    await expectEventually(async () => (await received(name)).filter((text) => text !== "first").length, others.length);
    expect((await received(name)).filter((text) => text !== "first")).toEqual(others);
    const deadLetters = await runtime.deadLetters(name);
    expect(deadLetters.map(({ body }) => body).toSorted()).toEqual(
      numberedMessages(500)
        .filter((text) => text.endsWith("7"))
        .toSorted(),
    );
  });

  it("a route is far slower than the server: few notifications wait in memory, the others are dropped and counted", async () => {
    const name = uniqueName();
    const slow = await spawnServer();
    await connect(name, postgres.port, {}, slow);
    expect((await slow.putFlow(name, listeningRoute(name, `{delay: {constant: 50}}, {setBody: {simple: "\${body.trim()}"}}, `))).status).toBe(201);
    await notifyUntilReceived(name, "first");
    const before = residentBytes(slow.pid);
    for (const text of numberedMessages(4000)) await notify(name, text.padStart(7000));
    await expectEventually(() => slow.output().includes("the route is too slow"), true);
    await expectEventually(async () => (await received(name)).length > 100, true);
    expect((residentBytes(slow.pid) - before) / 1024 / 1024).toBeLessThan(100);
    await slow.end("SIGKILL");
    slow.clean();
  });
});
