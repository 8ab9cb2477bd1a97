// Commands, channels and the repository in a real Redis server.
import { createRequire } from "node:module";
import { Redis } from "ioredis";
import { afterAll, describe, expect, it } from "vitest";
import { CompileError, FlowError, type Host } from "@sluice/engine/spi";
import {
  advanceUntil,
  eventually,
  exchangeOf,
  FakeHost,
  FakeRouteInput,
  FaultyLink,
  flow,
  realTimeHost,
  connectorUnderTest,
  serverFor,
  testConnections,
  type InputMessage,
} from "@sluice/testkit";
import { redis } from "./redis-connection.ts";
import { redisIdempotentRepository } from "./redis-idempotent-repository.ts";
import { springRedisConnector } from "./spring-redis.ts";
import { hostileValues } from "../database/hostile-values.test-support.ts";

const server = await serverFor("redis");
const springRedis = springRedisConnector(undefined);
const prefix = `sluice-test:${process.pid}:`;
const load = async (clientPackage: { readonly package: string }): Promise<unknown> => createRequire(import.meta.url)(clientPackage.package);
const cleanUps: (() => Promise<void>)[] = [];

function hostOf(port: number, values: Readonly<Record<string, string>> = {}, host: Host = realTimeHost()): Host {
  const connections = testConnections(host, { cache: { declaration: redis, values: { port: String(port), connectTimeout: "60s", ...values } } }, load);
  cleanUps.push(() => connections.close());
  return Object.assign(host, { connections });
}

describe.skipIf(server === undefined)("spring-redis (needs Redis)", () => {
  const { port = 0 } = server ?? {};
  const host = hostOf(port);
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    await server?.end();
  });
  const run = async (command: string, headers: Readonly<Record<string, unknown>>, body: unknown = null) => {
    const route = await flow(`- to: "spring-redis:localhost:${port}?command=${command}&connectionFactory=#cache"`, {
      host: host as unknown as FakeHost,
      connectors: [springRedis],
    });
    const redisHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [`CamelRedis.${name}`, name === "Key" || name === "Destination" ? `${prefix}${String(value)}` : value]),
    );
    const outcome = await route({ body, headers: redisHeaders });
    await route.stop();
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome.body;
  };

  it("executes commands of each type", async () => {
    expect(await run("SET", { Key: "a" }, "it's")).toBe("it's");
    expect(await run("GET", { Key: "a" })).toBe("it's");
    expect(await run("APPEND", { Key: "a" }, "!")).toBe(5);
    expect(await run("EXISTS", { Key: "a" })).toBe(true);
    expect(await run("SETNX", { Key: "a", Value: "x" })).toBe(false);
    expect([await run("INCR", { Key: "n" }), await run("INCRBY", { Key: "n", Value: 41 })]).toEqual([1, 42]);
    await run("HSET", { Key: "h", Field: "one", Value: "1" });
    await run("HMSET", { Key: "h", Values: { two: "2", three: 3 } });
    expect(await run("HGETALL", { Key: "h" })).toEqual({ one: "1", two: "2", three: "3" });
    expect(await run("HMGET", { Key: "h", Fields: ["one", "none"] })).toEqual(["1", null]);
    for (const value of ["a", "b", "c"]) await run("RPUSH", { Key: "l" }, value);
    expect(await run("LRANGE", { Key: "l", Start: 0, End: -1 })).toEqual(["a", "b", "c"]);
    expect(await run("BLPOP", { Key: "l", Timeout: 1 })).toBe("a");
    await run("SADD", { Key: "s" }, "x");
    expect([await run("SISMEMBER", { Key: "s" }, "x"), await run("SMEMBERS", { Key: "s" })]).toEqual([true, ["x"]]);
    expect(await run("ZADD", { Key: "z", Score: 2 }, "two")).toBe(true);
    await run("ZADD", { Key: "z", Score: 1 }, "one");
    expect(await run("ZRANGE", { Key: "z", Start: 0, End: -1 })).toEqual(["one", "two"]);
    expect(await run("ZRANGEBYSCORE", { Key: "z", Min: 2, Max: 3 })).toEqual(["two"]);
    expect([await run("EXPIRE", { Key: "a", Timeout: 100 }), Number(await run("TTL", { Key: "a" })) > 90]).toEqual([true, true]);
    expect(await run("GEOADD", { Key: "g", Longitude: 13.4, Latitude: 52.5 }, "Berlin")).toBe(1);
    for (const key of ["a", "n", "h", "l", "s", "z", "g"]) await run("DEL", { Key: key });
    expect(await run("EXISTS", { Key: "z" })).toBe(false);
  });

  it("stores bodies that are streams, and leaves them unread for commands that do not use them", async () => {
    const pieces = async function* () {
      yield Buffer.from([0xe2, 0x82]);
      yield Buffer.from([0xac]);
      yield " in pieces";
    };
    await run("SET", { Key: "stream" }, pieces());
    expect(await run("GET", { Key: "stream" })).toBe("€ in pieces");
    const unread = pieces();
    await run("DEL", { Key: "stream" }, unread);
    expect((await unread.next()).done).toBe(false);
    const jsonSink = connectorUnderTest(springRedis, host).sink(
      `spring-redis:localhost:${port}?command=SET&connectionFactory=#cache&serializer=#class:org.springframework.data.redis.serializer.GenericJackson2JsonRedisSerializer`,
    );
    await jsonSink.send(exchangeOf(pieces(), { "CamelRedis.Key": `${prefix}json` }));
    expect(await run("GET", { Key: "json" })).toBe('"€ in pieces"');
    await run("DEL", { Key: "json" });
  });

  it("treats hostile keys, fields and values as data", async () => {
    const flowOf = (command: string) =>
      flow(`- to: "spring-redis:localhost:${port}?command=${command}&connectionFactory=#cache"`, {
        host: host as unknown as FakeHost,
        connectors: [springRedis],
      });
    const [set, get, put, all, remove] = [await flowOf("SET"), await flowOf("GET"), await flowOf("HSET"), await flowOf("HGETALL"), await flowOf("DEL")];
    for (const value of hostileValues) {
      const key = `${prefix}${value}`;
      expect((await set({ headers: { "CamelRedis.Key": key }, body: value })).error).toBeUndefined();
      expect((await put({ headers: { "CamelRedis.Key": `${prefix}hash`, "CamelRedis.Field": value, "CamelRedis.Value": value } })).error).toBeUndefined();
      expect((await get({ headers: { "CamelRedis.Key": key } })).body).toBe(value);
      await remove({ headers: { "CamelRedis.Key": key } });
    }
    expect((await all({ headers: { "CamelRedis.Key": `${prefix}hash` } })).body).toEqual(Object.fromEntries(hostileValues.map((value) => [value, value])));
    await remove({ headers: { "CamelRedis.Key": `${prefix}hash` } });
    for (const route of [set, get, put, all, remove]) await route.stop();
  });

  it("rejects commands that affect other applications, missing headers, and a source without a subscribe command", async () => {
    await expect(run("FLUSHALL", {})).rejects.toThrow("it deletes all data");
    await expect(run("SET", { Command: "KEYS", Key: "a" })).rejects.toThrow("KEYS is not allowed");
    await expect(run("GET", {})).rejects.toThrow("'CamelRedis.Key' is missing");
    expect(() => connectorUnderTest(springRedis, host).source(`spring-redis:localhost:${port}?connectionFactory=#cache`)).toThrow(CompileError);
  });

  it("subscribes to channels and patterns, and resubscribes after a lost connection", async () => {
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    cleanUps.push(() => link.close());
    const routeInput = new FakeRouteInput();
    const source = connectorUnderTest(springRedis, hostOf(link.port)).source(
      `spring-redis:localhost?connectionFactory=#cache&command=PSUBSCRIBE&channels=${prefix}*`,
    );
    await source.start(routeInput);
    const publish = (text: string) => run("PUBLISH", { Channel: `${prefix}news` }, text);
    await publish("one");
    await expect.poll(() => routeInput.bodies).toEqual(["one"]);
    expect(routeInput.exchanges[0]?.message.headers.get("CamelRedis.Channel")).toBe(`${prefix}news`);
    link.cut();
    await expect
      .poll(async () => {
        await publish("two");
        return routeInput.bodies.includes("two");
      })
      .toBe(true);
    await source.stop();
  });

  it("dead-letters failed messages unchanged, and continues", async () => {
    const deadLetterBodies: unknown[] = [];
    const connector = springRedisConnector({ store: async (_exchange, exhausted) => void deadLetterBodies.push(exhausted?.message.body) });
    const done: unknown[] = [];
    const routeInput = new FakeRouteInput(({ message }) => {
      const { body } = message;
      message.body = "changed";
      if (String(body).endsWith("7")) throw new FlowError("java.io.IOException", "broken");
      done.push(body);
    });
    const source = connectorUnderTest(connector, host).source(`spring-redis:localhost?connectionFactory=#cache&command=SUBSCRIBE&channels=${prefix}failing`);
    await source.start(routeInput);
    const texts = Array.from({ length: 30 }, (_, number) => `message ${number}`);
    for (const text of texts) await run("PUBLISH", { Channel: `${prefix}failing` }, text);
    await expect.poll(() => [...done, ...deadLetterBodies].length).toBe(30);
    expect([done, deadLetterBodies]).toEqual([texts.filter((text) => !text.endsWith("7")), ["message 7", "message 17", "message 27"]]);
    await source.stop();
  });

  it("delivers a message that is not JSON as text", async () => {
    const routeInput = new FakeRouteInput();
    const json = "org.springframework.data.redis.serializer.GenericJackson2JsonRedisSerializer";
    const source = connectorUnderTest(springRedis, host).source(
      `spring-redis:localhost?connectionFactory=#cache&command=SUBSCRIBE&channels=${prefix}json&serializer=${json}`,
    );
    await source.start(routeInput);
    for (const text of ["{broken", '{"a":1}']) await run("PUBLISH", { Channel: `${prefix}json` }, text);
    await expect.poll(() => routeInput.bodies).toEqual(["{broken", { a: 1 }]);
    await source.stop();
  });

  it("closes its connection when the server rejects the subscription", async () => {
    const user = `${prefix}reader`.replaceAll(/\W/g, "");
    const admin = new Redis({ host: "127.0.0.1", port });
    await admin.call("ACL", "SETUSER", user, "on", "nopass", "~*", "+@all", "resetchannels");
    const routeInput = new FakeRouteInput();
    const host = new FakeHost();
    const source = connectorUnderTest(springRedis, hostOf(port, { user, password: "x" }, host)).source(
      `spring-redis:localhost?connectionFactory=#cache&command=SUBSCRIBE&channels=${prefix}denied`,
    );
    await source.start(routeInput);
    await advanceUntil(host.clock, () => routeInput.problems.length >= 5);
    await eventually(async () => {
      const clients = String(await admin.call("CLIENT", "LIST")).split("\n");
      return !clients.some((line) => line.includes(`user=${user} `) && line.includes("cmd=subscribe"));
    });
    await source.stop();
    await admin.call("ACL", "DELUSER", user);
    admin.disconnect();
  });

  it("loses no command when connections are dropped and the route retries", async () => {
    const host = new FakeHost();
    const link = await FaultyLink.to({ host: "127.0.0.1", port });
    cleanUps.push(() => link.close());
    const route = await flow(
      `
      - errorHandler: {defaultErrorHandler: {redeliveryPolicy: {maximumRedeliveries: 50, redeliveryDelay: 20}}}
      - from: {uri: direct:start, steps: [{to: "spring-redis:localhost?command=SADD&connectionFactory=#cache"}]}`,
      { host: hostOf(link.port, {}, host) as FakeHost, connectors: [springRedis] },
    );
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < 400; n++) {
      // Before, in the middle of or after the command or its reply.
      if (n % 20 === 10) link.cutAfter(n / 4);
      let isDone = false;
      const sending = route({ headers: { "CamelRedis.Key": `${prefix}cut`, "CamelRedis.Value": n } }).finally(() => (isDone = true));
      if (n % 20 >= 10) await advanceUntil(host.clock, () => isDone, 100);
      outcomes.push((await sending).error);
    }
    expect([outcomes.filter((error) => error !== undefined), link.accepted > 3]).toEqual([[], true]);
    expect(((await run("SMEMBERS", { Key: "cut" })) as readonly unknown[]).length).toBe(400);
    await run("DEL", { Key: "cut" });
    await route.stop();
  });

  it("stores keys for all runtimes, forever or with a ttl", async () => {
    const startFlow = async (properties: string) =>
      flow(
        `
        - beans: [{name: seen, type: "#class:org.apache.camel.component.redis.processor.idempotent.SpringRedisIdempotentRepository", properties: {connectionFactory: cache, ${properties}}}]
        - from: {uri: direct:start, steps: [{idempotentConsumer: {header: id, idempotentRepository: seen, steps: [{to: "mock:in"}]}}]}`,
        { host: host as unknown as FakeHost, connectors: [springRedis], beans: [redisIdempotentRepository] },
      );
    for (const properties of [`repositoryName: "${prefix}set"`, `repositoryName: "${prefix}ttl", ttl: 1m`]) {
      const [first, second] = [await startFlow(properties), await startFlow(properties)];
      const inputOf = (id: number): InputMessage => ({ headers: { id }, delivery: { session: undefined as never } });
      await Promise.all(Array.from({ length: 200 }, (_, id) => [first(inputOf(id)), second(inputOf(id))]).flat());
      expect((first.mocks.get("in")?.length ?? 0) + (second.mocks.get("in")?.length ?? 0)).toBe(200);
    }
    await run("DEL", { Keys: [`${prefix}set`, ...Array.from({ length: 200 }, (_, id) => `${prefix}ttl:${id}`)] });
  });
});
