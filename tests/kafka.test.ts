// Flows that use a Kafka broker: librdkafka's mock, which kcat contains.
import kafkajs, { type Consumer, type Kafka, type KafkaMessage, type Producer } from "kafkajs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverFor } from "@sluice/testkit";
import {
  expectEventually,
  expectFailedRoute,
  missingOf,
  numberedMessages,
  sometimesFailingSteps,
  startBrokerRuntime,
  uniqueName,
  waitForAllDespiteCuts,
  type BrokerRuntime,
} from "./broker-runtime.ts";
import { kafkaLink } from "./kafka-link.ts";

const server = await serverFor("kafka", { own: true });

// Joining a group takes three seconds with this broker, so the tests run concurrently.
describe.skipIf(server === undefined)("kafka (needs kcat)", { concurrent: true }, () => {
  const { port = 0 } = server ?? {};
  const brokers = `127.0.0.1:${port}`;
  let runtime: BrokerRuntime;
  let kafka: Kafka;
  let producer: Producer;
  const consumers: Consumer[] = [];

  beforeAll(async () => {
    runtime = await startBrokerRuntime();
    kafka = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING });
    producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
  });
  afterAll(async () => {
    for (const consumer of consumers) await consumer.disconnect();
    await producer?.disconnect();
    await runtime?.end();
    await server?.end();
  });

  /** All records of a topic, including later ones. */
  const recordsOf = async (topic: string): Promise<KafkaMessage[]> => {
    const found: KafkaMessage[] = [];
    const consumer = kafka.consumer({ groupId: uniqueName(), maxWaitTimeInMs: 100 });
    consumers.push(consumer);
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ eachMessage: ({ message }) => Promise.resolve(void found.push(message)) });
    return found;
  };
  const texts = (records: readonly KafkaMessage[]): string[] => records.map(({ value }) => value?.toString() ?? "");
  const send = (topic: string, values: readonly string[], key?: (value: string) => string) =>
    producer.send({ topic, messages: values.map((value) => ({ value, ...(key === undefined ? {} : { key: key(value) }), headers: { orderId: "7" } })) });
  // The mock broker lets a member rejoin only after the session of the previous one has expired.
  const rejoining = "&autoOffsetReset=earliest&sessionTimeoutMs=6000&heartbeatIntervalMs=500";
  const from = (topic: string, extra = ""): string => `kafka:${topic}?brokers=${brokers}${rejoining}${extra}`;

  it("moves records from one topic to another, with keys, headers and order", async () => {
    const name = uniqueName();
    await send(`${name}-in`, numberedMessages(200), (text) => `k${Number(text.slice(8)) % 5}`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${from(`${name}-in`)}", steps: [{setHeader: {name: topic, simple: "\${header.CamelKafkaTopic}"}}, {to: "kafka:${name}-out?brokers=${brokers}"}]}}`,
    );
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => out.length, 200);
    expect(missingOf(200, texts(out))).toEqual([]);
    expect([out[0]?.headers?.["orderId"]?.toString(), out[0]?.headers?.["topic"]?.toString()]).toEqual(["7", `${name}-in`]);
    expect(Object.keys(out[0]?.headers ?? {}).filter((header) => /^camel/i.test(header))).toEqual([]);
    for (const key of ["k0", "k1", "k2", "k3", "k4"]) {
      const numbers = out.filter((record) => record.key?.toString() === key).map(({ value }) => Number(value?.toString().slice(8)));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(numbers).toHaveLength(40);
    }
  });

  it("dead-letters failed records unchanged, and continues", async () => {
    const name = uniqueName();
    await send(`${name}-in`, numberedMessages(50));
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${from(`${name}-in`)}", steps: [${sometimesFailingSteps}, {to: "kafka:${name}-out?brokers=${brokers}"}]}}`,
    );
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => out.length, 45);
    const deadLetters = (await runtime.deadLetters()).filter(({ routeId }) => routeId === name);
    expect(deadLetters.map(({ body }) => body).toSorted()).toEqual([7, 17, 27, 37, 47].map((number) => `message ${number}`).toSorted());
  });

  it("redelivers a failed record before the next one, with breakOnFirstError", async () => {
    const name = uniqueName();
    await producer.send({ topic: `${name}-in`, messages: ["a", "bad 7", "c"].map((value) => ({ value, partition: 0 })) });
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${from(`${name}-in`, "&breakOnFirstError=true&maximumRedeliveries=1")}", steps: [${sometimesFailingSteps}, {to: "kafka:${name}-out?brokers=${brokers}&partitionKey=0"}]}}`,
    );
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => out.length, 2);
    expect(texts(out)).toEqual(["a", "c"]);
    const [deadLetter] = (await runtime.deadLetters()).filter(({ routeId }) => routeId === name);
    expect([deadLetter?.body, deadLetter?.attempts]).toEqual(["bad 7", 2]);
  });

  it("continues after the last processed record when it is deployed again", async () => {
    const name = uniqueName();
    const flow = `- route: {id: ${name}, from: {uri: "${from(`${name}-in`)}", steps: [{to: "kafka:${name}-out?brokers=${brokers}"}]}}`;
    await send(`${name}-in`, ["one"]);
    await runtime.deploy(name, flow);
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => out.length, 1);
    await runtime.api("DELETE", `/flows/${name}`);
    await send(`${name}-in`, ["two"]);
    await runtime.deploy(name, flow);
    await expectEventually(() => out.length, 2);
    expect(texts(out)).toEqual(["one", "two"]);
  });

  it("sends a list as several records, to the topic and with the key set by the route", async () => {
    const name = uniqueName();
    await send(`${name}-in`, ["x"]);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${from(`${name}-in`)}", steps: [{setBody: {simple: "\${list('a','b')}"}}, {setHeader: {name: CamelKafkaOverrideTopic, constant: ${name}-other}}, {setHeader: {name: CamelKafkaKey, constant: k}}, {to: "kafka:${name}-out?brokers=${brokers}&recordMetadata=true"}]}}`,
    );
    const out = await recordsOf(`${name}-other`);
    await expectEventually(() => out.length, 2);
    expect([texts(out), out.map(({ key }) => key?.toString())]).toEqual([
      ["a", "b"],
      ["k", "k"],
    ]);
  });

  it("splits a long list into requests of at most maxRequestSize, in order", async () => {
    const name = uniqueName();
    const count = 900;
    const relay = await kafkaLink(port);
    await send(`${name}-in`, [JSON.stringify(Array.from({ length: count }, (_, index) => String(index).padEnd(1000, ".")))]);
    const to = (topic: string, extra: string): string =>
      `{to: "kafka:${name}-${topic}?brokers=127.0.0.1:${relay.link.port}&partitionKey=0&maxRequestSize=200000${extra}"}`;
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${from(`${name}-in`)}", steps: [{unmarshal: {json: {}}}, ${to("a", "")}, ${to("b", "&recordMetadata=true")}, {setBody: {simple: "\${header.CamelKafkaRecordMeta.size()}"}}, {to: "kafka:${name}-out?brokers=${brokers}"}]}}`,
    );
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => out.length, 1);
    const admin = kafka.admin();
    await admin.connect();
    const stored = async (topic: string) => (await admin.fetchTopicOffsets(`${name}-${topic}`)).find(({ partition }) => partition === 0)?.high;
    expect([await stored("a"), await stored("b")]).toEqual([String(count), String(count)]);
    await admin.disconnect();
    expect(relay.largestRequest).toBeGreaterThan(190_000);
    expect(relay.largestRequest).toBeLessThanOrEqual(200_500);
    expect(texts(out)).toEqual(["5"]);
    const list = await recordsOf(`${name}-a`);
    await expectEventually(() => list.length, count);
    expect(texts(list).map(Number.parseFloat)).toEqual(Array.from({ length: count }, (_, index) => index));
    await runtime.api("DELETE", `/flows/${name}`);
    await relay.close();
  });

  it("seeks once per start, not after each reconnect", async () => {
    const name = uniqueName();
    await send(`${name}-in`, ["one"]);
    const connect = async (clientId: string): Promise<void> => {
      const { status, text } = await runtime.api("PUT", `/connections/${name}`, { type: "kafka", values: { brokers, clientId } });
      if (status >= 300) throw new Error(text);
    };
    await connect("first");
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "kafka:${name}-in?connection=${name}${rejoining}&groupId=${name}&seekTo=BEGINNING", steps: [{to: "kafka:${name}-out?brokers=${brokers}"}]}}`,
    );
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => texts(out).join(), "one");
    const admin = kafka.admin();
    await admin.connect();
    const committed = async () =>
      (await admin.fetchOffsets({ groupId: name, topics: [`${name}-in`] })).flatMap(({ partitions }) => partitions).some(({ offset }) => offset === "1");
    await expectEventually(committed, true);
    await admin.disconnect();
    // A change of the connection replaces its client, so the source subscribes with a new consumer.
    await connect("second");
    await send(`${name}-in`, ["two"]);
    await expectEventually(() => texts(out).includes("two"), true);
    expect(texts(out)).toEqual(["one", "two"]);
    await runtime.api("DELETE", `/flows/${name}`);
  });

  it("reads and writes bytes and numbers by their serializers, in batches of maxPollRecords, compressed or not", async () => {
    const name = uniqueName();
    const classes = "org.apache.kafka.common.serialization";
    const bytes = Buffer.from([0, 255, 1]);
    await producer.send({ topic: `${name}-in`, messages: Array.from({ length: 5 }, () => ({ key: Buffer.from([0, 0, 0, 9]), value: bytes, partition: 0 })) });
    const source = `&batching=true&maxPollRecords=2&valueDeserializer=${classes}.ByteArrayDeserializer&keyDeserializer=${classes}.IntegerDeserializer`;
    const sink = `&compressionCodec=gzip&requestRequiredAcks=1&valueSerializer=${classes}.ByteArraySerializer&keySerializer=${classes}.LongSerializer`;
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${from(`${name}-in`, source)}", steps: [{setHeader: {name: size, simple: "\${body.size()}"}}, {to: "kafka:${name}-out?brokers=${brokers}${sink}"}]}}`,
    );
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => out.length, 5);
    expect(out.map(({ value, key }) => [value, key])).toEqual(Array.from({ length: 5 }, () => [bytes, Buffer.from([0, 0, 0, 0, 0, 0, 0, 9])]));
    expect(out.every(({ headers }) => ["1", "2"].includes(String(headers?.["size"])))).toBe(true);
  });

  it("starts at the end without an offset of its group (autoOffsetReset), and at seekTo", async () => {
    const name = uniqueName();
    await send(`${name}-in`, ["before"]);
    const routes = ["latest", "again"].map((id) => {
      const offsetOptions = id === "latest" ? "autoOffsetReset=latest" : "autoOffsetReset=latest&seekTo=BEGINNING";
      return `- route: {id: ${name}-${id}, from: {uri: "kafka:${name}-in?brokers=${brokers}&sessionTimeoutMs=6000&heartbeatIntervalMs=500&${offsetOptions}", steps: [{setBody: {simple: "${id} \${body}"}}, {to: "kafka:${name}-out?brokers=${brokers}"}]}}`;
    });
    await runtime.deploy(name, routes.join("\n"));
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => texts(out).includes("again before"), true);
    await send(`${name}-in`, ["after"]);
    await expectEventually(() => texts(out).includes("latest after") && texts(out).includes("again after"), true);
    expect(texts(out)).not.toContain("latest before");
  });

  it("loses no record when connections are dropped, inbound and outbound", async () => {
    const name = uniqueName();
    const count = 100;
    await send(`${name}-in`, numberedMessages(count));
    const { link, close } = await kafkaLink(port);
    const faulty = `127.0.0.1:${link.port}`;
    const uri = (topic: string): string => `kafka:${topic}?brokers=${faulty}`;
    const out = await recordsOf(`${name}-out`);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${uri(`${name}-in`)}${rejoining}&consumersCount=4", steps: [{to: "${uri(`${name}-out`)}"}]}}`,
    );
    await waitForAllDespiteCuts(link, count, () => texts(out));
    await runtime.api("DELETE", `/flows/${name}`);
    await close();
  });

  it("collects records of several fetches in one batch, until it is full or batchingIntervalMs is over", async () => {
    const name = uniqueName();
    const { link, hasDelivered, close } = await kafkaLink(port);
    /** Resolves when the source has received the record. */
    const put = async (value: string): Promise<void> => {
      await producer.send({ topic: `${name}-in`, messages: [{ value, partition: 0 }] });
      await expectEventually(() => hasDelivered(value), true);
    };
    const flow = (intervalMs: number): string =>
      `- route: {id: ${name}, from: {uri: "kafka:${name}-in?brokers=127.0.0.1:${link.port}${rejoining}&batching=true&maxPollRecords=4&batchingIntervalMs=${intervalMs}&fetchWaitMaxMs=100", steps: [{setBody: {simple: "\${body.size()}: \${body}"}}, {to: "kafka:${name}-out?brokers=${brokers}&partitionKey=0"}]}}`;
    await runtime.deploy(name, flow(3_600_000));
    const out = await recordsOf(`${name}-out`);
    for (const number of [1, 2, 3, 4, 5]) await put(`record-${number}`);
    await expectEventually(() => out.length, 1);
    expect(texts(out)[0]).toMatch(/^4: .*record-1.*record-2.*record-3.*record-4/);
    // The offset of a record that waits for others is not committed.
    await runtime.api("DELETE", `/flows/${name}`);
    expect(out).toHaveLength(1);
    await runtime.deploy(name, flow(200));
    await expectEventually(() => out.length, 2);
    expect(texts(out)[1]).toMatch(/^1: .*record-5/);
    await runtime.api("DELETE", `/flows/${name}`);
    await close();
  });

  it("stays stopped after a failure of the consumer, with pollOnError=STOP, and otherwise tries again", async () => {
    const name = uniqueName();
    await send(`${name}-in`, ["one"]);
    const uri = (extra: string) =>
      `kafka:${name}-in?brokers=${brokers}&groupId=${name}&autoOffsetReset=none&sessionTimeoutMs=6000&heartbeatIntervalMs=500${extra}`;
    const route = (id: string, extra: string) => `- route: {id: ${id}, from: {uri: "${uri(extra)}", steps: [{to: "kafka:${id}-out?brokers=${brokers}"}]}}`;
    const other = uniqueName();
    await runtime.deploy(name, route(name, "&pollOnError=STOP"));
    await runtime.deploy(other, route(other, ""));
    const problem = async (id: string) => (await runtime.api("GET", `/flows/${id}`)).text;
    await expectEventually(async () => (await problem(name)).includes("because of pollOnError=STOP: restart the route"), true);
    expect(await problem(other)).toMatch(/autoOffsetReset is none/);
    // A member of the group that reads the topic commits the missing offsets.
    const first = kafka.consumer({ groupId: name, sessionTimeout: 6000, heartbeatInterval: 500 });
    await first.connect();
    await first.subscribe({ topic: `${name}-in`, fromBeginning: true });
    await first.run({ eachMessage: () => Promise.resolve() });
    const partitions = [0, 1, 2, 3].map((partition) => ({ topic: `${name}-in`, partition, offset: "0" }));
    await expectEventually(
      () =>
        first.commitOffsets(partitions).then(
          () => true,
          () => false,
        ),
      true,
    );
    await first.disconnect();
    await expectEventually(() => runtime.routeStatus(other), "Started");
    expect(await runtime.routeStatus(name)).toBe("Failed");
    for (const id of [name, other]) await runtime.api("DELETE", `/flows/${id}`);
  });

  it("reports a broker that does not respond within consumerRequestTimeoutMs", async () => {
    const name = uniqueName();
    await send(`${name}-in`, ["one"]);
    const { link, close } = await kafkaLink(port);
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "kafka:${name}-in?brokers=127.0.0.1:${link.port}${rejoining}&consumerRequestTimeoutMs=2s", steps: [{to: "kafka:${name}-out?brokers=${brokers}"}]}}`,
    );
    const out = await recordsOf(`${name}-out`);
    // On a slow machine, the broker itself may exceed the time: the record is then received again.
    await expectEventually(() => out.length > 0, true);
    link.silence();
    await expectEventually(() => runtime.routeStatus(name), "Failed");
    link.silence(false);
    link.cut();
    await runtime.api("DELETE", `/flows/${name}`);
    await close();
  });

  it("sends a list of messages with their keys, and with their headers if batchWithIndividualHeaders is set", async () => {
    const name = uniqueName();
    await send(`${name}-in`, ["a", "b"]);
    const group = "aggregate: {correlationExpression: {constant: all}, aggregationStrategy: GroupedMessageAggregationStrategy, completionSize: 2";
    const sinks = ["true", "false"].map(
      (individual) => `{to: "kafka:${name}-${individual}?brokers=${brokers}&partitionKey=0&batchWithIndividualHeaders=${individual}"}`,
    );
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "${from(`${name}-in`)}", steps: [{setHeader: {name: item, simple: "\${body}"}}, {setHeader: {name: CamelKafkaKey, simple: "key \${body}"}}, {${group}, steps: [{setHeader: {name: item, constant: list}}, ${sinks.join()}]}}]}}`,
    );
    const summary = async (individual: string) => {
      const out = await recordsOf(`${name}-${individual}`);
      await expectEventually(() => out.length, 2);
      return out.map(({ value, key, headers }) => [value, key, headers?.["item"]].join(",")).toSorted();
    };
    expect(await summary("true")).toEqual(["a,key a,a", "b,key b,b"]);
    expect(await summary("false")).toEqual(["a,key a,list", "b,key b,list"]);
  });

  it("starts while the broker is down, reports it, and receives when it is up", async () => {
    const name = uniqueName();
    await send(`${name}-in`, ["back"]);
    const { link, close } = await kafkaLink(port);
    await link.refuse();
    await expectFailedRoute(runtime, name, () =>
      runtime.deploy(
        name,
        `- route: {id: ${name}, from: {uri: "kafka:${name}-in?brokers=127.0.0.1:${link.port}${rejoining}", steps: [{to: "kafka:${name}-out?brokers=${brokers}"}]}}`,
      ),
    );
    await link.open();
    const out = await recordsOf(`${name}-out`);
    await expectEventually(() => out.length, 1);
    expect(await runtime.routeStatus(name)).toBe("Started");
    await runtime.api("DELETE", `/flows/${name}`);
    await close();
  });
});
