// Sources on a connection that other routes use too: a lost or failed subscription affects only its own route. Uses real servers.
import { createRequire } from "node:module";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { FaultyLink, serverFor } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectEventually, numberedMessages, startBrokerRuntime, uniqueName, type BrokerRuntime } from "./broker-runtime.ts";
import { heldPartner } from "./held-partner.ts";
import { call } from "./started-server.ts";

interface PgClient {
  connect(): Promise<void>;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  end(): Promise<void>;
}
const pg = createRequire(new URL("../packages/connectors/package.json", import.meta.url))("pg") as { Client: new (config: object) => PgClient };

let runtime: BrokerRuntime;
beforeAll(async () => void (runtime = await startBrokerRuntime()));
afterAll(() => runtime.end());

const define = async (name: string, type: string, values: object): Promise<void> => {
  const { status, text } = await runtime.api("PUT", `/connections/${name}?force=true`, { type, values });
  expect([status < 300, text]).toEqual([true, expect.any(String)]);
};

const nats = await serverFor("nats");
describe.skipIf(nats === undefined)("a shared NATS connection (needs NATS)", () => {
  let client: NatsConnection;
  beforeAll(async () => void (client = await connect({ servers: `127.0.0.1:${nats?.port}` })));
  afterAll(async () => {
    await client.close();
    await nats?.end();
  });

  it("stays open while a route of another flow subscribes to a stream that does not exist", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port: nats?.port ?? 0 });
    const servers = `servers=localhost:${link.port}`;
    await runtime.deploy(name, `- route: {id: ${name}, from: {uri: "nats:${name}.in?${servers}", steps: [{to: "nats:${name}.out?${servers}"}]}}`);
    const texts: string[] = [];
    client.subscribe(`${name}.out`, { callback: (_error, message) => void texts.push(message.string()) });
    await client.flush();
    await expectEventually(() => runtime.routeStatus(name), "Started");
    await runtime.deploy(
      `${name}-typo`,
      `- route: {id: ${name}-typo, from: {uri: "nats:${name}.typo?jetstreamEnabled=true&reconnectTimeWait=50&${servers}", steps: [{log: in}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(`${name}-typo`), "Failed");
    // One after another, so that the failing route subscribes again several times meanwhile.
    for (const [index, text] of numberedMessages(100).entries()) {
      client.publish(`${name}.in`, text);
      await expectEventually(() => texts.length, index + 1);
    }
    expect([texts, link.accepted]).toEqual([numberedMessages(100), 1]);
    expect(await runtime.routeStatus(`${name}-typo`)).toBe("Failed");
    for (const id of [name, `${name}-typo`]) await runtime.api("DELETE", `/flows/${id}`);
    await link.close();
  });
});

const postgres = await serverFor("postgres");
describe.skipIf(postgres === undefined)("a shared PostgreSQL connection (needs PostgreSQL)", () => {
  const { port = 0 } = postgres ?? {};
  let client: PgClient;
  beforeAll(async () => {
    client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await postgres?.end();
  });

  it("keeps its transactions when the session that listens is terminated", async () => {
    const name = uniqueName();
    await define(name, "postgres", { host: "127.0.0.1", port, user: "postgres", database: "postgres" });
    await client.query(`create table ${name} (payload text)`);
    const partner = await heldPartner();
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "webhook?muteException=false", steps: [{transacted: {}}, {to: "sql:insert into ${name} values ('kept')?dataSource=#${name}"}, {to: "${partner.url}"}, {setBody: {constant: done}}]}}`,
    );
    await runtime.deploy(
      `${name}-listen`,
      `- route: {id: ${name}-listen, from: {uri: "pgevent:unused:1/db/${name}?datasource=#${name}&reconnectDelay=50", steps: [{to: "sql:insert into ${name} values (:#\${body})?dataSource=#${name}"}]}}`,
    );
    await expectEventually(() => runtime.routeStatus(`${name}-listen`), "Started");
    const pendingReply = call(runtime.baseUrl, "POST", `/api/${name}`, "x");
    await expectEventually(() => partner.waiting(), 1);
    expect((await client.query("select 1 from pg_stat_activity where state = 'idle in transaction'")).rows.length).toBe(1);
    const { rows } = await client.query("select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'");
    expect(rows.length).toBe(1);
    partner.respond();
    const { status, text } = await pendingReply;
    partner.close();
    expect([status, text]).toEqual([200, "done"]);
    const payloads = async (): Promise<readonly unknown[]> => (await client.query(`select payload from ${name}`)).rows.map(({ payload }) => payload);
    expect(await payloads()).toEqual(["kept"]);
    await expectEventually(async () => {
      await client.query("select pg_notify($1, 'again')", [name]);
      return (await payloads()).includes("again");
    }, true);
    for (const id of [name, `${name}-listen`]) await runtime.api("DELETE", `/flows/${id}`);
    await client.query(`drop table ${name}`);
  });
});

const redis = await serverFor("redis");
describe.skipIf(redis === undefined)("a shared Redis connection (needs Redis)", () => {
  let client: Redis;
  beforeAll(() => void (client = new Redis({ port: redis?.port ?? 0 })));
  afterAll(async () => {
    client.disconnect();
    await redis?.end();
  });

  it("stays open when the connection of a subscription is lost", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to({ host: "127.0.0.1", port: redis?.port ?? 0 });
    await define(name, "redis", { host: "127.0.0.1", port: link.port });
    const add = `{setHeader: {name: CamelRedis.Key, constant: ${name}}}, {setHeader: {name: CamelRedis.Value, simple: "\${body}"}}, {to: "spring-redis:unused:1?command=SADD&connectionFactory=#${name}"}`;
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "spring-redis:unused:1?command=SUBSCRIBE&channels=${name}&connectionFactory=#${name}", steps: [${add}]}}`,
    );
    const publishUntilReceived = (text: string): Promise<void> =>
      expectEventually(async () => (await client.publish(name, text)) > 0 && (await client.sismember(name, text)), 1);
    await publishUntilReceived("before");
    expect(link.accepted).toBe(2);
    await client.call("CLIENT", "KILL", "TYPE", "pubsub");
    await publishUntilReceived("after");
    expect(link.accepted).toBe(3);
    await runtime.api("DELETE", `/flows/${name}`);
    await client.del(name);
    await link.close();
  });
});
