// A member of a consumer group: one message at a time per partition; offsets are committed only past settled messages.
import { lookup } from "node:dns/promises";
import {
  FlowError,
  toFlowError,
  type Clock,
  type Connection,
  type Delivery,
  type Endpoint,
  type Host,
  type Message,
  type Source,
  type SourceInput,
} from "@sluice/engine/spi";
import { reconnectBackOff, type BackOff } from "@sluice/engine/tools";
import { compilePattern } from "@sluice/engine/values";
import { MessageReceiver, type Outcome } from "../message-receiver/message-receiver.ts";
import { brokerMessage, routeName, traceReader } from "../messaging/incoming.ts";
import { SourceHeaders } from "../messaging/source-headers.ts";
import { dedicatedLink } from "../reconnecting/dedicated-link.ts";
import { whileConnected, type ReconnectLimit, type Subscription } from "../reconnecting/while-connected.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import type { ConsumeOptions, KafkaClient, KafkaConsumer, KafkaRecord, PartitionBatch } from "./kafka-client.ts";
import { FillTimes } from "./fill-times.ts";
import type { KafkaOptions } from "./kafka-options.ts";
import { deserializerOf, type Deserializer } from "./kafka-values.ts";

export interface KafkaParts {
  readonly host: Host;
  readonly deadLetters: DeadLetters;
}

/** One record, or several with `batching`, in progress. */
interface Item {
  readonly batch: PartitionBatch;
  readonly records: readonly KafkaRecord[];
  outcome: Outcome | undefined;
}

/** A connected client and its consumer, which is undefined until it has subscribed. */
interface Link {
  readonly client: KafkaClient;
  consumer: KafkaConsumer | undefined;
  readonly lost: (problem: string) => void;
}

/** How long the records of one batch may block the event loop. */
const sliceMs = 10;
/** Records processed between two readings of the clock. */
const recordsPerRead = 4;

export function kafkaSource(endpoint: Endpoint<KafkaOptions>, shared: Connection<KafkaClient>, parts: KafkaParts): Source {
  const { options, uri } = endpoint;
  const { host } = parts;
  const log = (text: string): void => host.log.write("WARN", "sluice.kafka", `${uri}: ${text}`);
  const connection = dedicatedLink<KafkaClient, Link>(shared, {
    open: (client, lost) => Promise.resolve({ client, consumer: undefined, lost }),
    close: async ({ consumer }) => consumer?.close(),
    failed: (problem) => log(String(problem)),
  });
  let hasSought = false;
  let hasPollFailed = false;
  const begin = async (link: Link, routeInput: SourceInput): Promise<Subscription> => {
    const messageReceiver = receiverOf(routeInput, endpoint, parts);
    const topics = await topicsOf(options, link.client);
    const consumeOptions = {
      ...consumeOptionsOf(options, topics, options.groupId ?? routeName(routeInput.route), host),
      // After a reconnect the group continues at its offsets.
      ...(hasSought ? { seekTo: undefined } : {}),
      onSeekDone: () => void (hasSought = true),
    };
    let crash: string | undefined;
    const fillTimes = new FillTimes(host.clock, options.batching ? options.batchingIntervalMs : undefined);
    const recordFailure = (error: unknown): void => void (hasPollFailed = !link.client.isConnectionFailure(error));
    hasPollFailed = false;
    const consumer = await link.client
      .consume(
        consumeOptions,
        (batch) => work(batch, messageReceiver, options, fillTimes, host.clock),
        (error) => {
          recordFailure(error);
          link.lost((crash = toFlowError(error).message));
        },
      )
      .catch((error: unknown) => {
        recordFailure(error);
        throw error;
      });
    // A lost connection is reported only once there is a subscription.
    if (crash !== undefined) {
      await consumer.close();
      throw new Error(crash);
    }
    link.consumer = consumer;
    const unwatch = link.client.watchLinks((problem) => routeInput.lost(problem));
    return {
      async stop() {
        unwatch();
        link.consumer = undefined;
        await consumer.close();
        await messageReceiver.stop();
      },
    };
  };
  const reconnectLimit: ReconnectLimit = { isReached: () => options.pollOnError === "STOP" && hasPollFailed, reason: "pollOnError=STOP" };
  const { start, stop } = whileConnected({ connection, host, begin, backOff: backOffOf(options), reconnectLimit });
  return {
    claims: [],
    exclusive: true,
    everyWorker: true,
    async start(routeInput) {
      hasSought = false;
      hasPollFailed = false;
      if (options.preValidateHostAndPort && options.brokers !== undefined) await validateAddresses(options.brokers);
      await start(routeInput);
    },
    stop,
  };
}

function backOffOf({ reconnectBackoffMs, reconnectBackoffMaxMs }: KafkaOptions): BackOff {
  const firstMs = Math.max(reconnectBackoffMs ?? reconnectBackOff.firstMs, 1);
  return { ...reconnectBackOff, firstMs, maxMs: Math.max(reconnectBackoffMaxMs ?? reconnectBackOff.maxMs, firstMs) };
}

async function validateAddresses(brokers: string): Promise<void> {
  const invalid = (address: string, problem: string): FlowError =>
    new FlowError("org.apache.kafka.common.config.ConfigException", `'${address}' in brokers ${problem}`, { code: "kafka-address" });
  for (const address of brokers.split(",").map((part) => part.trim())) {
    const [, name] = /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:\s/]+):\d{1,5}$/.exec(address) ?? [];
    if (name === undefined) throw invalid(address, "is not an address: write host:port");
    await lookup(name.replaceAll(/^\[|\]$/g, "")).catch((error: unknown) => {
      throw invalid(address, `cannot be resolved (${toFlowError(error).message}): correct the host name, or set preValidateHostAndPort=false`);
    });
  }
}

async function work(
  batch: PartitionBatch,
  messageReceiver: MessageReceiver<Item>,
  { batching, maxPollRecords }: KafkaOptions,
  fillTimes: FillTimes,
  clock: Clock,
): Promise<void> {
  const size = batching ? maxPollRecords : 1;
  let sliceStart = clock.monotonic();
  // Between two synchronous runs nothing can end the batch, and the check is slow in the client.
  let hasWaited = true;
  let sinceRead = 0;
  for (let at = 0; at < batch.records.length; at += size) {
    if (hasWaited && batch.isOver) return;
    hasWaited = false;
    const records = size === 1 ? [batch.records[at] as KafkaRecord] : batch.records.slice(at, at + size);
    const waitMs = records.length < size ? fillTimes.waitMs(batch, records[0] as KafkaRecord) : 0;
    if (waitMs > 0) return batch.hold(records as [KafkaRecord, ...KafkaRecord[]], waitMs);
    const item: Item = { batch, records, outcome: undefined };
    const pending = messageReceiver.take(item);
    if (pending !== undefined) {
      await pending;
      hasWaited = true;
    }
    const { outcome } = item;
    if (outcome?.kind === "redeliver") return batch.postpone(records[0] as KafkaRecord, outcome.waitMs);
    batch.settled(records.at(-1) as KafkaRecord);
    // A batch may contain thousands of records, and a synchronous route does not yield. Reading the clock after each of them would be slow.
    if ((hasWaited || ++sinceRead % recordsPerRead === 0) && clock.monotonic() - sliceStart > sliceMs) {
      batch.commitIfDue();
      await clock.yieldToEventLoop();
      hasWaited = true;
      sliceStart = clock.monotonic();
    }
  }
}

function receiverOf(routeInput: SourceInput, { options, uri }: Endpoint<KafkaOptions>, { host, deadLetters }: KafkaParts): MessageReceiver<Item> {
  const withTrace = traceReader(host);
  const delivery: Delivery = { pattern: options.exchangePattern, trigger: { uri } };
  const conversion: Conversion = {
    isList: options.batching,
    isAutoCommit: options.autoCommitEnable,
    keyOf: deserializerOf(options.keyDeserializer),
    valueOf: deserializerOf(options.valueDeserializer),
  };
  return new MessageReceiver<Item>(
    routeInput,
    {
      messageOf: (item) => messageOf(item, conversion),
      deliveryOf: ({ records }) => withTrace(delivery, records[0]?.headers?.["traceparent"]?.toString()),
      idOf: ({ batch, records }) => `${batch.topic} ${batch.partition} ${records[0]?.offset ?? ""}`,
      settle: (item, outcome) => void (item.outcome = outcome),
    },
    {
      window: options.consumersCount,
      maximumRedeliveries: options.breakOnFirstError ? options.maximumRedeliveries : 0,
      redeliveryDelay: 1000,
      backOffMultiplier: 2,
      maximumRedeliveryDelay: 60_000,
      leaseMs: 0,
    },
    { clock: host.clock, deadLetters, failed: (problem) => host.log.write("ERROR", "sluice.kafka", `${uri}: ${problem}`) },
  );
}

/** The source of a message's headers; not the record itself, whose bytes would keep the whole fetched batch in memory. */
interface Received {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly timestamp: string;
  readonly key: unknown;
  readonly headers: Readonly<Record<string, unknown>> | undefined;
  readonly isLast: boolean;
  readonly isAutoCommit: boolean;
}

const sourceHeaders = new SourceHeaders<Received>({
  CamelKafkaTopic: ({ topic }) => topic,
  CamelKafkaPartition: ({ partition }) => partition,
  CamelKafkaOffset: ({ offset }) => Number(offset),
  CamelKafkaTimestamp: ({ timestamp }) => Number(timestamp),
  CamelKafkaKey: ({ key }) => key,
  CamelKafkaHeaders: ({ headers }) => headers ?? {},
  CamelKafkaLastPollRecord: ({ isLast }) => isLast,
  CamelKafkaLastRecordBeforeCommit: ({ isLast, isAutoCommit }) => (isAutoCommit ? undefined : isLast),
});

/** How records become messages. */
interface Conversion {
  /** The body is the list of all values. */
  readonly isList: boolean;
  readonly isAutoCommit: boolean;
  readonly keyOf: Deserializer;
  readonly valueOf: Deserializer;
}

function messageOf({ batch, records }: Item, { isList, isAutoCommit, keyOf, valueOf }: Conversion): Message {
  const { offset, timestamp, key: keyBytes, headers: sent, value } = records[0] as KafkaRecord;
  const wire = headersOf(sent);
  const headers = sourceHeaders.of({
    topic: batch.topic,
    partition: batch.partition,
    offset,
    timestamp,
    key: keyBytes === null ? undefined : keyOf(keyBytes),
    headers: wire,
    isAutoCommit,
    isLast: records[records.length - 1] === batch.records[batch.records.length - 1],
  });
  return brokerMessage(isList ? records.map((record) => valueOf(record.value)) : valueOf(value), wire, headers);
}

const decoder = new TextDecoder();
const textOf = (value: unknown): unknown => (value instanceof Uint8Array ? decoder.decode(value) : value);

/** Camel passes headers as bytes; nearly all contain text, so they are decoded here. */
function headersOf(headers: KafkaRecord["headers"]): Readonly<Record<string, unknown>> | undefined {
  if (headers === undefined || Object.keys(headers).length === 0) return undefined;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.map(textOf) : textOf(value)]));
}

async function topicsOf({ topic, topicIsPattern }: KafkaOptions, client: KafkaClient): Promise<readonly string[]> {
  if (!topicIsPattern) return topic.split(",").map((name) => name.trim());
  const pattern = compilePattern(topic);
  const found = (await client.topics()).filter((name) => pattern.matches(name));
  if (found.length === 0) throw new Error(`no topic matches the pattern '${topic}'`);
  return found;
}

function consumeOptionsOf(options: KafkaOptions, topics: readonly string[], groupId: string, { clock }: Host): Omit<ConsumeOptions, "onSeekDone"> {
  return {
    ...options,
    groupId,
    topics,
    clock,
    concurrentPartitions: options.consumersCount,
    commitIntervalMs: options.autoCommitIntervalMs,
    rebalanceTimeoutMs: options.maxPollIntervalMs,
  };
}
