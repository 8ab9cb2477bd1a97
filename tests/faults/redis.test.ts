// The faults of docs/operations/connector-faults.md for Redis, on a server that only this test uses. The client never repeats a command, because
// only the route knows whether that is safe; the routes here use commands that can be repeated. Redis stores no published messages, so F1, F2,
// F4 and F5 apply to commands.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { FaultyLink, guardedUser, serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectEventually, sometimesFailingSteps, numberedMessages, startBrokerRuntime, uniqueName, type BrokerRuntime } from "../broker-runtime.ts";
import { spawnServer } from "../spawned-server.ts";
import { call, sleep } from "../started-server.ts";
import { residentBytes } from "../process-usage.ts";
import { expectNoSecretShown, failingWebhook } from "./shown-secrets.ts";

const server = await serverFor("redis", { own: true });

describe.skipIf(server === undefined)("spring-redis under faults (needs Redis)", () => {
  const redis = server as TestServer;
  let runtime: BrokerRuntime;
  let client: Redis;
  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    client = new Redis({ port: redis.port });
    client.on("error", () => undefined);
  });
  afterAll(async () => {
    await runtime.end();
    client.disconnect();
    await redis.end();
  });

  const connect = async (name: string, port: number, extra: object = {}, { api }: Pick<BrokerRuntime, "api"> = runtime): Promise<void> => {
    const document = { type: "redis", values: { host: "127.0.0.1", port, connectTimeout: 2000, commandTimeout: 2000, ...extra } };
    const { status, text } = await api("PUT", `/connections/${name}?force=true`, document);
    expect([status < 300, text]).toEqual([true, expect.any(String)]);
  };
  const retryPolicy = "errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 200, redeliveryDelay: 100}}}";
  const command = (name: string, uri: string): string => `{to: "spring-redis:unused:1?${uri}&connectionFactory=#${name}"}`;
  const subscribingRoute = (name: string, steps: string): string =>
    `- route: {id: ${name}, from: {uri: "spring-redis:unused:1?command=SUBSCRIBE&channels=${name}&connectionFactory=#${name}", steps: [${steps}]}}`;
  /** Steps that add the body to a set, or at the end of a list. */
  const add = (name: string, to = "SADD"): string =>
    `{setHeader: {name: CamelRedis.Key, constant: ${name}}}, {setHeader: {name: CamelRedis.Value, simple: "\${body}"}}, ${command(name, `command=${to}`)}`;
  /** Adds every number of the request to a set, ten at a time. */
  const addingRoute = (name: string, before = ""): string => `
- route: {id: ${name}, ${retryPolicy}, from: {uri: "webhook?muteException=false", steps: [{unmarshal: {json: {}}}, {split: {simple: "\${body}", parallelProcessing: true, steps: [${before}${add(name)}]}}, {setBody: {constant: done}}]}}`;
  const send = async (name: string, count: number): Promise<string> =>
    (await call(runtime.baseUrl, "POST", `/api/${name}`, JSON.stringify(Array.from({ length: count }, (_, n) => n)), { "content-type": "application/json" }))
      .text;

  it("connections are dropped 20 times during 20,000 commands: each takes effect", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to(redis);
    await connect(name, link.port);
    await runtime.deploy(name, addingRoute(name));
    let cuts = 0;
    const cutting = setInterval(() => cuts++ < 20 && link.cut(), 300);
    expect(await send(name, 20_000).finally(() => clearInterval(cutting))).toBe("done");
    expect([await client.scard(name), cuts > 3]).toEqual([20_000, true]);
    await link.close();
  });

  it("the server is killed under load and restarted: each command takes effect", async () => {
    const name = uniqueName();
    await connect(name, redis.port);
    await runtime.deploy(name, addingRoute(name, "{delay: {constant: 1}}, "));
    const sending = send(name, 10_000);
    await expectEventually(async () => (await client.scard(name)) > 100, true);
    await redis.kill();
    await sleep(1000);
    await redis.restart();
    expect(await sending).toBe("done");
    await expectEventually(() => client.scard(name), 10_000);
  });

  it("starts while the server is down, detects an unresponsive connection, and waits for the correct password", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to(redis);
    await link.refuse();
    await client.call("ACL", "SETUSER", guardedUser.name, "on", `>${guardedUser.password}`, "~*", "&*", "+@all");
    await connect(name, link.port, { user: guardedUser.name, password: "wrong-password" });
    const startTime = Date.now();
    await runtime.deploy(name, subscribingRoute(name, add(name)));
    expect(Date.now() - startTime).toBeLessThan(3000);
    expect(await runtime.routeStatus(name)).toBe("Failed");
    await link.open();
    await expectEventually(async () => /WRONGPASS|password/.test((await runtime.api("GET", "/health")).text), true, 40_000);
    const before = link.accepted;
    await sleep(20_000);
    expect(link.accepted - before).toBeLessThanOrEqual(2);
    await connect(name, link.port, { user: guardedUser.name, password: guardedUser.password });
    await expectEventually(() => runtime.routeStatus(name), "Started", 10_000);
    await expectEventually(async () => (await client.publish(name, "one")) > 0, true);
    await expectEventually(() => client.sismember(name, "one"), 1);
    link.silence();
    await expectEventually(() => runtime.routeStatus(name), "Failed", 40_000);
    link.silence(false);
    link.cut();
    await expectEventually(() => runtime.routeStatus(name), "Started", 35_000);
    await expectEventually(async () => (await client.publish(name, "two")) > 0 && (await client.sismember(name, "two")), 1);
    await link.close();
  });
  it("a route is replaced repeatedly under load: each command takes effect", async () => {
    const name = uniqueName();
    await connect(name, redis.port);
    await runtime.deploy(name, addingRoute(name));
    const sending = (async () => {
      for (let request = 0; request < 200; request++) expect(await send(name, 20 * (request + 1))).toBe("done");
    })();
    for (let round = 0; round < 10; round++) await runtime.deploy(name, `${addingRoute(name)}\n# ${round}`);
    await sending;
    expect(await client.scard(name)).toBe(4000);
  });

  it("the runtime is killed under load, twice: messages of a durable queue take effect", async () => {
    const [name, count] = [uniqueName(), 3000];
    const dataDir = mkdtempSync(join(tmpdir(), "sluice-"));
    let server = await spawnServer({ dataDir });
    await connect(name, redis.port, {}, server);
    const flow = `
- route: {id: ${name}, from: {uri: webhook, steps: [{convertBodyTo: {type: String}}, {to: "queue:${name}"}]}}
- route: {id: ${name}-work, ${retryPolicy}, from: {uri: "queue:${name}", steps: [${add(name)}]}}`;
    expect((await server.putFlow(name, flow)).status).toBe(201);
    let sent = 0;
    const sending = (async () => {
      while (sent < count) {
        const { ok } = await fetch(`${server.baseUrl}/api/${name}`, { method: "POST", body: `message ${sent}` }).catch(() => ({ ok: false }));
        if (ok) sent++;
        else await sleep(50);
      }
    })();
    for (const minCount of [500, 1500]) {
      await expectEventually(async () => (await client.scard(name)) >= minCount, true, 60_000);
      await server.end("SIGKILL");
      server = await spawnServer({ dataDir });
    }
    await sending;
    await expectEventually(() => client.scard(name), count, 60_000);
    await server.end();
    server.clean();
  });

  it("a route fails for every tenth message: these become dead letters, the others take effect in order", async () => {
    const name = uniqueName();
    await connect(name, redis.port);
    await runtime.deploy(name, subscribingRoute(name, `${sometimesFailingSteps}, ${add(name, "RPUSH")}`));
    await expectEventually(() => runtime.routeStatus(name), "Started");
    for (const text of numberedMessages(500)) await client.publish(name, text);
    const others = numberedMessages(500).filter((text) => !text.endsWith("7"));
    await expectEventually(() => client.llen(name), others.length);
    expect(await client.lrange(name, 0, -1)).toEqual(others);
    const bodies = async (): Promise<readonly string[]> => (await runtime.deadLetters(name)).map(({ body }) => body);
    await expectEventually(async () => (await bodies()).length, 50);
    expect((await bodies()).toSorted()).toEqual(
      numberedMessages(500)
        .filter((text) => text.endsWith("7"))
        .toSorted(),
    );
  });

  it("a route is far slower than the server: few messages wait in memory, the others are dropped and counted", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to(redis);
    const slow = await spawnServer();
    await connect(name, link.port, {}, slow);
    expect((await slow.putFlow(name, subscribingRoute(name, `{delay: {constant: 50}}, {setBody: {simple: "\${body.trim()}"}}, ${add(name)}`))).status).toBe(
      201,
    );
    await expectEventually(async () => (await client.publish(name, "first")) > 0, true);
    await expectEventually(() => client.sismember(name, "first"), 1);
    const [before, links] = [residentBytes(slow.pid), link.accepted];
    for (const text of numberedMessages(4000)) await client.publish(name, text.padStart(50_000));
    await expectEventually(() => slow.output().includes("the route is too slow"), true);
    await expectEventually(async () => (await client.scard(name)) > 100, true);
    expect([link.accepted, (residentBytes(slow.pid) - before) / 1024 / 1024 < 100]).toEqual([links, true]);
    await slow.end("SIGKILL");
    slow.clean();
    await link.close();
  });

  it("1,000 rejected passwords are in no log, run, trace or reply", async () => {
    const name = uniqueName();
    await client.call("ACL", "SETUSER", guardedUser.name, "on", `>${guardedUser.password}`, "~*", "&*", "+@all");
    const makeSecret = (password: string): Promise<void> => connect(name, redis.port, { user: guardedUser.name, password });
    await makeSecret("first-password");
    await runtime.deploy(name, failingWebhook(name, add(name)));
    await expectNoSecretShown(runtime, { name, makeSecret, failure: /WRONGPASS/ });
  });
});
