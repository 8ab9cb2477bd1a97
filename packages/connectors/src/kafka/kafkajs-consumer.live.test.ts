// Consumers of librdkafka's mock broker, which kcat contains.
import kafkajs from "kafkajs";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { FakeHost, serverFor } from "@sluice/testkit";
import type { ConsumeOptions, KafkaConsumer, PartitionBatch } from "./kafka-client.ts";
import { kafkajsConsumer } from "./kafkajs-consumer.ts";

const server = await serverFor("kafka", { own: true });
afterAll(() => server?.end());

it.skipIf(server === undefined)("processes no record before it has moved to seekTo, so that none is delivered twice (needs kcat)", async () => {
  const kafka = new kafkajs.Kafka({ brokers: [`127.0.0.1:${server?.port ?? 0}`], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await Promise.all([admin.connect(), producer.connect()]);
  onTestFinished(async () => void (await Promise.all([producer.disconnect(), admin.disconnect()])));
  const send = (value: string) => producer.send({ topic: "sought", messages: [{ value, partition: 0 }] });
  await send("one");

  // The positions of the topic arrive only after the first records.
  let markFetched = (): void => undefined;
  const fetched = new Promise<void>((resolve) => (markFetched = resolve));
  const watched = Object.assign(Object.create(kafka) as typeof kafka, {
    consumer(config: kafkajs.ConsumerConfig) {
      const consumer = kafka.consumer(config);
      consumer.on(consumer.events.START_BATCH_PROCESS, () => markFetched());
      return consumer;
    },
  });
  const lateAdmin = Object.assign(Object.create(admin) as typeof admin, {
    fetchTopicOffsets: (topic: string) => fetched.then(() => admin.fetchTopicOffsets(topic)),
  });

  const options: ConsumeOptions = {
    groupId: "sought",
    topics: ["sought"],
    autoOffsetReset: "earliest",
    seekTo: "BEGINNING",
    onSeekDone: () => void send("two"),
    concurrentPartitions: 1,
    commitIntervalMs: 5_000,
    commitTimeoutMs: 5_000,
    fetchMinBytes: 1,
    fetchMaxBytes: 1_000_000,
    maxPartitionFetchBytes: 1_000_000,
    fetchWaitMaxMs: 100,
    sessionTimeoutMs: 30_000,
    heartbeatIntervalMs: 3_000,
    rebalanceTimeoutMs: undefined,
    metadataMaxAgeMs: 60_000,
    isolationLevel: "read_committed",
    clock: new FakeHost().clock,
  };
  const found: string[] = [];
  let starting: Promise<KafkaConsumer> | undefined;
  onTestFinished(async () => (await starting?.catch(() => undefined))?.close());
  await new Promise<void>((resolve, reject) => {
    const work = (batch: PartitionBatch): Promise<void> => {
      for (const record of batch.records) {
        found.push(String(record.value));
        batch.settled(record);
      }
      if (found.includes("two")) resolve();
      return Promise.resolve();
    };
    starting = kafkajsConsumer(watched, lateAdmin, options, work, { crashed: reject, reachability: () => undefined });
    starting.catch(reject);
  });
  expect(found).toEqual(["one", "two"]);
});
