// Redis under faults, on a server that only this test uses. Commands are never repeated by the client: the route decides, so effects that may be
// repeated are written as such.
import { Redis } from "ioredis";
import { FaultyLink, guardedUser, serverFor, type TestServer } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { becomes, startBrokerRuntime, uniqueName, type BrokerRuntime } from "../broker-runtime.ts";
import { call, sleep } from "../started-server.ts";

const server = await serverFor("redis", { own: true });

describe.skipIf(server === undefined)("spring-redis under faults (needs Redis)", () => {
  const own = server as TestServer;
  let runtime: BrokerRuntime;
  let client: Redis;
  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    client = new Redis({ port: own.port });
    client.on("error", () => undefined);
  });
  afterAll(async () => {
    await runtime.end();
    client.disconnect();
    await own.end();
  });

  const connect = async (name: string, port: number, more: object = {}): Promise<void> => {
    const document = { type: "redis", values: { host: "127.0.0.1", port, connectTimeout: 2000, commandTimeout: 2000, ...more } };
    const { status, text } = await runtime.api("PUT", `/connections/${name}?force=true`, document);
    expect([status < 300, text]).toEqual([true, expect.any(String)]);
  };
  const retried = "errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 200, redeliveryDelay: 100}}}";
  const command = (name: string, uri: string): string => `{to: "spring-redis:unused:1?${uri}&connectionFactory=#${name}"}`;
  /** Adds every number of the request to a set, ten at a time. */
  const adding = (name: string, before = ""): string => `
- route: {id: ${name}, ${retried}, from: {uri: "webhook?muteException=false", steps: [{unmarshal: {json: {}}}, {split: {simple: "\${body}", parallelProcessing: true, steps: [${before}{setHeader: {name: CamelRedis.Key, constant: ${name}}}, {setHeader: {name: CamelRedis.Value, simple: "\${body}"}}, ${command(name, "command=SADD")}]}}, {setBody: {constant: done}}]}}`;
  const send = async (name: string, count: number): Promise<string> =>
    (await call(runtime.baseUrl, "POST", `/api/${name}`, JSON.stringify(Array.from({ length: count }, (_, n) => n)), { "content-type": "application/json" }))
      .text;

  it("F1: links are cut 20 times during 20,000 commands", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to(own);
    await connect(name, link.port);
    await runtime.deploy(name, adding(name));
    let cuts = 0;
    const cutting = setInterval(() => cuts++ < 20 && link.cut(), 300);
    expect(await send(name, 20_000).finally(() => clearInterval(cutting))).toBe("done");
    expect([await client.scard(name), cuts > 3]).toEqual([20_000, true]);
    await link.close();
  });

  it("F2: the server is killed under load and comes back", async () => {
    const name = uniqueName();
    await connect(name, own.port);
    await runtime.deploy(name, adding(name, "{delay: {constant: 1}}, "));
    const sending = send(name, 10_000);
    await becomes(async () => (await client.scard(name)) > 100, true);
    await own.kill();
    await sleep(1000);
    await own.restart();
    expect(await sending).toBe("done");
    await becomes(() => client.scard(name), 10_000);
  });

  it("F3, F7, F8: starts while the server is down, notices a silent link, and waits for the right password", async () => {
    const name = uniqueName();
    const link = await FaultyLink.to(own);
    await link.refuse();
    await client.call("ACL", "SETUSER", guardedUser.name, "on", `>${guardedUser.password}`, "~*", "&*", "+@all");
    await connect(name, link.port, { user: guardedUser.name, password: "wrong-password" });
    const began = Date.now();
    const received = `{setHeader: {name: CamelRedis.Key, constant: ${name}}}, {setHeader: {name: CamelRedis.Value, simple: "\${body}"}}, ${command(name, "command=SADD")}`;
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "spring-redis:unused:1?command=SUBSCRIBE&channels=${name}&connectionFactory=#${name}", steps: [${received}]}}`,
    );
    expect(Date.now() - began).toBeLessThan(3000);
    expect(await runtime.routeStatus(name)).toBe("Failed");
    await link.open();
    await becomes(async () => /WRONGPASS|password/.test((await runtime.api("GET", "/health")).text), true, 40_000);
    const before = link.accepted;
    await sleep(20_000);
    expect(link.accepted - before).toBeLessThanOrEqual(2);
    await connect(name, link.port, { user: guardedUser.name, password: guardedUser.password });
    await becomes(() => runtime.routeStatus(name), "Started", 10_000);
    await becomes(async () => (await client.publish(name, "one")) > 0, true);
    await becomes(() => client.sismember(name, "one"), 1);
    link.silence();
    await becomes(() => runtime.routeStatus(name), "Failed", 40_000);
    link.silence(false);
    link.cut();
    await becomes(() => runtime.routeStatus(name), "Started", 35_000);
    await becomes(async () => (await client.publish(name, "two")) > 0 && (await client.sismember(name, "two")), 1);
    await link.close();
  });
});
