import { FlowError, isMessage, type Clock, type Connection, type Endpoint, type Exchange, type Host, type Sink } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";
import { collectStream, isStream } from "@sluice/engine/values";
import { withTimeout } from "../messaging/incoming.ts";
import { headersOf } from "../messaging/outgoing.ts";
import type { KafkaClient, OutgoingRecord, RecordMetadata, SendOptions } from "./kafka-client.ts";
import { kafkaError } from "./kafka-error.ts";
import { isOlderName, ownHeader, removeHeader } from "./kafka-headers.ts";
import type { KafkaOptions } from "./kafka-options.ts";
import { serialize } from "./kafka-values.ts";
import { RecordBatches, requestsOf } from "./record-batches.ts";

export function kafkaSink({ options }: Endpoint<KafkaOptions>, connection: Connection<KafkaClient>, host: Host): Sink {
  const { clock } = host;
  const { recordMetadata, lingerMs, producerBatchSize: fullBytes, maxRequestSize: maxBytes } = options;
  const batches = new RecordBatches(clock, { lingerMs, fullBytes, maxBytes });
  const sendOptions = sendOptionsOf(options);
  const send = async (exchange: Exchange, topic: string): Promise<void> => {
    const { message } = exchange;
    if (isStream(message.body)) message.body = await collectStream(message.body, options.maxRequestSize);
    const records = await recordsOf(exchange, topic, options, clock);
    const client = await connection.client();
    const metadata: RecordMetadata[] = [];
    // Requests are sent one after the other, to keep the order of the list.
    for (const request of requestsOf(records, maxBytes))
      if (recordMetadata) metadata.push(...(await client.send(request, sendOptions)));
      else await batches.send(client, request, sendOptions);
    if (recordMetadata) message.headers.set("CamelKafkaRecordMeta", metadata);
  };
  return {
    async send(exchange) {
      const override = ownHeader(exchange, "CamelKafkaOverrideTopic");
      const topic = typeof override === "string" && override !== "" ? override : options.topic;
      if (override !== undefined) removeHeader(exchange, "CamelKafkaOverrideTopic");
      try {
        await withTimeout(clock, options.deliveryTimeoutMs, send(exchange, topic), () => timeoutError(topic, options.deliveryTimeoutMs));
      } catch (error) {
        throw kafkaError(error, topic);
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

/** All records of a message, serialized before the first is sent: a record that cannot be sent fails the whole list. */
async function recordsOf(exchange: Exchange, topic: string, options: KafkaOptions, clock: Clock): Promise<readonly OutgoingRecord[]> {
  const { body } = exchange.message;
  const common = targetOf(exchange, options);
  const headers = sentHeaders(exchange);
  const values = options.useIterator && Array.isArray(body) ? (body as readonly unknown[]) : [body];
  const records: OutgoingRecord[] = [];
  const add = (item: unknown): void => {
    // An item may be a message, as in the list of a grouping strategy.
    const itemExchange = isMessage(item) ? { message: item, run: exchange.run } : undefined;
    const value = serialize(itemExchange === undefined ? item : itemExchange.message.body, options.valueSerializer);
    if (value !== null && value.byteLength > options.maxRequestSize)
      throw new FlowError(
        "org.apache.kafka.common.errors.RecordTooLargeException",
        `the record for topic '${topic}' has ${value.byteLength} bytes, more than maxRequestSize (${options.maxRequestSize})`,
        { code: "kafka-too-large" },
      );
    if (itemExchange === undefined) return void records.push({ topic, value, ...common, headers });
    const override = ownHeader(itemExchange, "CamelKafkaOverrideTopic");
    records.push({
      topic: typeof override === "string" && override !== "" ? override : topic,
      value,
      ...targetOf(itemExchange, options),
      headers: options.batchWithIndividualHeaders ? sentHeaders(itemExchange) : headers,
    });
  };
  await each(values.values(), add, clock);
  return records;
}

function targetOf(
  exchange: Pick<Exchange, "message">,
  { key, keySerializer, partitionKey }: KafkaOptions,
): Pick<OutgoingRecord, "key" | "partition" | "timestamp"> {
  return {
    key: serialize(ownHeader(exchange, "CamelKafkaKey") ?? key, keySerializer),
    partition: numberOf(ownHeader(exchange, "CamelKafkaPartitionKey")) ?? partitionKey,
    timestamp: numberOf(ownHeader(exchange, "CamelKafkaOverrideTimestamp")),
  };
}

const sentHeaders = (exchange: Pick<Exchange, "message" | "run">): Readonly<Record<string, string>> => Object.fromEntries(headersOf(exchange, isOlderName));

function numberOf(value: unknown): number | undefined {
  const number = value === undefined || value === null || value === "" ? Number.NaN : Number(value);
  return Number.isInteger(number) && number >= 0 ? number : undefined;
}

function timeoutError(topic: string, ms: number): FlowError {
  return new FlowError("org.apache.kafka.common.errors.TimeoutException", `Kafka did not store the record for topic '${topic}' within ${ms} ms`, {
    code: "kafka-timeout",
    retryable: true,
  });
}
