// The Kamelets kafka-source, kafka-batch-source and kafka-sink of Camel's catalog, unchanged. The catalog is not part of this project: CAMEL_KAMELETS names
// its folder.
import { existsSync } from "node:fs";
import { join } from "node:path";
import kafkajs from "kafkajs";
import { afterAll, describe, expect, it } from "vitest";
import { serverFor } from "@sluice/testkit";
import { expectEventually, missingOf, numberedMessages, startBrokerRuntime, uniqueName } from "./broker-runtime.ts";

const folder = process.env["CAMEL_KAMELETS"] ?? "";
const hasCatalog = folder !== "" && existsSync(join(folder, "kafka-source.kamelet.yaml"));
const server = hasCatalog ? await serverFor("kafka", { own: true }) : undefined;
afterAll(() => server?.end());

describe.skipIf(server === undefined)("kafka-source, kafka-batch-source and kafka-sink (needs kcat and CAMEL_KAMELETS)", () => {
  it.each(["kafka-source", "kafka-batch-source"])("%s moves records from one topic to another", async (source) => {
    const [name, brokers] = [uniqueName(), `127.0.0.1:${server?.port}`];
    const runtime = await startBrokerRuntime({ SERVICE_KAMELETS: folder });
    const kafka = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING });
    const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
    await producer.connect();
    await producer.send({ topic: `${name}-in`, messages: numberedMessages(50).map((value) => ({ value })) });
    const common = `bootstrapServers: "${brokers}"`;
    await runtime.deploy(
      name,
      `- route: {id: ${name}, from: {uri: "kamelet:${source}", parameters: {topic: ${name}-in, autoOffsetReset: earliest, ${common}}, steps: [{to: {uri: "kamelet:kafka-sink", parameters: {topic: ${name}-out, ${common}}}}]}}`,
    );
    const found: string[] = [];
    const consumer = kafka.consumer({ groupId: name, maxWaitTimeInMs: 100 });
    await consumer.connect();
    await consumer.subscribe({ topic: `${name}-out`, fromBeginning: true });
    await consumer.run({ eachMessage: ({ message }) => Promise.resolve(void found.push(String(message.value))) });
    await expectEventually(() => missingOf(50, found).length, 0);
    expect(found).toHaveLength(50);
    await consumer.disconnect();
    await producer.disconnect();
    await runtime.end();
  });
});
