import { FlowError, type Connection, type Endpoint, type Exchange, type Host, type Sink } from "@sluice/engine/spi";
import { collectStream, isStream } from "@sluice/engine/values";
import { within } from "../messaging/incoming.ts";
import { headersOf } from "../messaging/outgoing.ts";
import type { KafkaClient, OutgoingRecord, SendOptions } from "./kafka-client.ts";
import { kafkaError } from "./kafka-error.ts";
import { isOlderName, ownHeader, removeHeader } from "./kafka-headers.ts";
import type { KafkaOptions } from "./kafka-options.ts";
import { serialize } from "./kafka-values.ts";
import { RecordBatches } from "./record-batches.ts";

export function kafkaSink({ options }: Endpoint<KafkaOptions>, connection: Connection<KafkaClient>, host: Host): Sink {
  const { clock } = host;
  const batches = new RecordBatches(clock, options.lingerMs, options.producerBatchSize);
  const sendOptions = sendOptionsOf(options);
  const send = async (exchange: Exchange, topic: string): Promise<void> => {
    const { message } = exchange;
    if (isStream(message.body)) message.body = await collectStream(message.body, options.maxRequestSize);
    const records = recordsOf(exchange, topic, options);
    const client = await connection.client();
    if (options.recordMetadata) message.headers.set("CamelKafkaRecordMeta", await client.send(records, sendOptions));
    else if (records.length > 0) await batches.send(client, records, sendOptions);
  };
  return {
    async send(exchange) {
      const override = ownHeader(exchange, "CamelKafkaOverrideTopic");
      const topic = typeof override === "string" && override !== "" ? override : options.topic;
      if (override !== undefined) removeHeader(exchange, "CamelKafkaOverrideTopic");
      try {
        await within(clock, options.deliveryTimeoutMs, send(exchange, topic), () => tooLate(topic, options.deliveryTimeoutMs));
      } catch (thrown) {
        throw kafkaError(thrown, topic);
      }
    },
  };
}

function sendOptionsOf(options: KafkaOptions): SendOptions {
  const acks = options.requestRequiredAcks === "0" ? 0 : options.requestRequiredAcks === "1" ? 1 : -1;
  return {
    acks,
    gzip: options.compressionCodec === "gzip",
    idempotent: options.enableIdempotence,
    timeoutMs: options.requestTimeoutMs,
    maxInFlight: options.enableIdempotence ? 1 : options.maxInFlightRequest,
    retries: options.retries ?? Math.ceil(options.deliveryTimeoutMs / Math.max(options.retryBackoffMaxMs, 1)),
    retryBackoffMs: options.retryBackoffMs,
    retryBackoffMaxMs: options.retryBackoffMaxMs,
    metadataMaxAgeMs: options.metadataMaxAgeMs,
  };
}

function recordsOf(exchange: Exchange, topic: string, options: KafkaOptions): readonly OutgoingRecord[] {
  const { body } = exchange.message;
  const key = serialize(ownHeader(exchange, "CamelKafkaKey") ?? options.key, options.keySerializer);
  const partition = numberOf(ownHeader(exchange, "CamelKafkaPartitionKey")) ?? options.partitionKey;
  const timestamp = numberOf(ownHeader(exchange, "CamelKafkaOverrideTimestamp"));
  const headers = Object.fromEntries(headersOf(exchange, isOlderName));
  const values = options.useIterator && Array.isArray(body) ? (body as readonly unknown[]) : [body];
  return values.map((each) => {
    const value = serialize(each, options.valueSerializer);
    if (value !== null && value.byteLength > options.maxRequestSize)
      throw new FlowError(
        "org.apache.kafka.common.errors.RecordTooLargeException",
        `the record for topic '${topic}' has ${value.byteLength} bytes, more than maxRequestSize (${options.maxRequestSize})`,
        { code: "kafka-too-large" },
      );
    return { topic, key, value, partition, timestamp, headers };
  });
}

function numberOf(value: unknown): number | undefined {
  const number = value === undefined || value === null || value === "" ? Number.NaN : Number(value);
  return Number.isInteger(number) && number >= 0 ? number : undefined;
}

function tooLate(topic: string, ms: number): FlowError {
  return new FlowError("org.apache.kafka.common.errors.TimeoutException", `Kafka did not store the record for topic '${topic}' within ${ms} ms`, {
    code: "kafka-timeout",
    retryable: true,
  });
}
