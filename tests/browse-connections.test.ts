// Names on real servers, as pickers list them: topics of Kafka, keys and channels of Redis; and the reply for systems that cannot list names.
import { Redis } from "ioredis";
import kafkajs from "kafkajs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverFor } from "@sluice/testkit";
import { startTestServer, type StartedServer } from "./started-server.ts";

let server: StartedServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server?.end());

const browse = (id: string, body: object) => server.api("POST", `/connections/${id}/browse`, body);
const define = async (id: string, type: string, values: object, force = false): Promise<void> => {
  const { status, text } = await server.api("PUT", `/connections/${id}${force ? "?force=true" : ""}`, { type, values });
  expect([status, text]).toEqual([201, expect.any(String)]);
};

const kafka = await serverFor("kafka", { own: true });

describe.skipIf(kafka === undefined)("Kafka (needs kcat)", () => {
  afterAll(() => kafka?.end());

  it("lists the topics with a prefix, in order and without those of the brokers", async () => {
    const brokers = `127.0.0.1:${kafka?.port}`;
    const client = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING });
    const producer = client.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    for (const topic of ["orders-b", "orders-a", "orders-c", "other", "__internal"]) await producer.send({ topic, messages: [{ value: "x" }] });
    await producer.disconnect();
    await define("events", "kafka", { brokers });
    expect((await browse("events", { what: "topics", prefix: "orders-" })).json).toEqual({ names: ["orders-a", "orders-b", "orders-c"] });
    expect((await browse("events", { what: "topics", prefix: "orders-", limit: 2 })).json).toEqual({ names: ["orders-a", "orders-b"] });
    const all = (await browse("events", { what: "topics" })).json.names as string[];
    expect([all.includes("other"), all.includes("__internal")]).toEqual([true, false]);
    const tables = await browse("events", { what: "tables" });
    expect([tables.status, tables.json.error]).toEqual([422, expect.stringContaining("cannot list 'tables'; it can list topics")]);
  });
});

const redis = await serverFor("redis", { own: true });

describe.skipIf(redis === undefined)("Redis (needs redis-server)", () => {
  afterAll(() => redis?.end());

  it("lists keys with a prefix among many others, and channels with subscribers", async () => {
    const port = redis?.port ?? 0;
    const client = new Redis({ host: "127.0.0.1", port });
    const subscriber = new Redis({ host: "127.0.0.1", port });
    try {
      await client.mset(...Array.from({ length: 20_000 }, (_, index) => [`other:${index}`, "x"]).flat());
      await client.mset("order:b", "1", "order:a", "1", "order*x", "1");
      await subscriber.subscribe("news", "weather");
      await define("cache", "redis", { host: "127.0.0.1", port });
      expect((await browse("cache", { what: "keys", prefix: "order:" })).json).toEqual({ names: ["order:a", "order:b"] });
      // A prefix is not a pattern.
      expect((await browse("cache", { what: "keys", prefix: "order*" })).json).toEqual({ names: ["order*x"] });
      expect((await browse("cache", { what: "keys", limit: 5 })).json.names).toHaveLength(5);
      expect((await browse("cache", { what: "channels" })).json).toEqual({ names: ["news", "weather"] });
    } finally {
      client.disconnect();
      subscriber.disconnect();
    }
  });
});

it("rejects a request to list the names of a system that cannot list them, and explains where to find the names", async () => {
  for (const [type, values, hint] of [
    ["rabbitmq", { host: "127.0.0.1", port: 1 }, "rabbitmqctl list_queues"],
    ["amqp", { url: "amqp://127.0.0.1:1" }, "the console of the broker"],
    ["mqtt", { brokerUrl: "tcp://127.0.0.1:1" }, "mosquitto_sub"],
  ] as const) {
    await define(`no-${type}`, type, values, true);
    const { status, json } = await browse(`no-${type}`, { what: "queues" });
    expect([status, json.error]).toEqual([422, expect.stringContaining(`connection 'no-${type}' of type '${type}' cannot list names: `)]);
    expect(json.error).toContain(hint);
  }
});
