// The Kafka client based on kafkajs.
import type * as KafkaJS from "kafkajs";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ConsumeOptions, KafkaClient, KafkaConsumer, OutgoingRecord, PartitionBatch, RecordMetadata, SendOptions } from "./kafka-client.ts";
import { kafkajsConsumer } from "./kafkajs-consumer.ts";

export type KafkaLibrary = typeof KafkaJS;

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly ssl: boolean | Readonly<Record<string, unknown>>;
  readonly sasl: KafkaJS.SASLOptions | undefined;
  readonly connectionTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

export async function openKafkajs(library: KafkaLibrary, settings: KafkaSettings): Promise<KafkaClient> {
  const links = new Links();
  const kafka = new library.Kafka({
    brokers: [...settings.brokers],
    clientId: settings.clientId,
    connectionTimeout: settings.connectionTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    ssl: settings.ssl,
    ...(settings.sasl === undefined ? {} : { sasl: settings.sasl }),
    socketFactory: links.socketFactory,
    logLevel: library.logLevel.ERROR,
    // Failures are reported by the endpoints they affect, so the library logs nothing.
    logCreator: () => () => undefined,
    retry: { retries: 3 },
  });
  const admin = kafka.admin();
  await admin.connect();
  const producers = new Map<string, Promise<KafkaJS.Producer>>();
  const consumers = new Set<KafkaConsumer>();
  const { CompressionTypes, Partitioners } = library;

  const producerFor = (options: SendOptions): Promise<KafkaJS.Producer> => {
    const key = JSON.stringify([options.idempotent, options.maxInFlight, options.retries, options.retryBackoffMs, options.retryBackoffMaxMs]);
    const existing = producers.get(key);
    if (existing !== undefined) return existing;
    const producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      idempotent: options.idempotent,
      maxInFlightRequests: options.maxInFlight,
      metadataMaxAge: options.metadataMaxAgeMs,
      allowAutoTopicCreation: true,
      retry: { retries: options.retries, initialRetryTime: options.retryBackoffMs, maxRetryTime: options.retryBackoffMaxMs },
    });
    const connecting = producer.connect().then(() => producer);
    producers.set(key, connecting);
    connecting.catch(() => producers.delete(key));
    return connecting;
  };

  return {
    async send(records, options) {
      const producer = await producerFor(options);
      const sent = await producer.sendBatch({
        acks: options.acks,
        timeout: options.timeoutMs,
        compression: options.gzip ? CompressionTypes.GZIP : CompressionTypes.None,
        topicMessages: byTopic(records),
      });
      return sent.map(({ topicName, partition, baseOffset, logAppendTime }): RecordMetadata => ({
        topic: topicName,
        partition,
        offset: baseOffset,
        timestamp: logAppendTime,
      }));
    },
    async consume(options: ConsumeOptions, work: (batch: PartitionBatch) => Promise<void>, crashed) {
      const consumer = await kafkajsConsumer(kafka, admin, options, work, { crashed, reachability: (problem) => links.report(problem) });
      consumers.add(consumer);
      return {
        async close() {
          consumers.delete(consumer);
          await consumer.close();
        },
      };
    },
    isConnectionFailure,
    topics: () => admin.listTopics(),
    ping: async () => (await admin.describeCluster()).brokers.length,
    watchLinks: (listener) => links.watch(listener),
    async close() {
      await Promise.allSettled([...consumers].map((consumer) => consumer.close()));
      await Promise.allSettled([...producers.values()].map(async (producer) => (await producer).disconnect()));
      await admin.disconnect();
    },
  };
}

/** The library wraps the error of the last attempt when it has no attempts left. */
function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, cause } = error;
  if (name === "KafkaJSNumberOfRetriesExceeded") return cause === undefined || isConnectionFailure(cause);
  return /^KafkaJS(Connection|RequestTimeout|BrokerNotFound|NoBrokerAvailable|LockTimeout)/.test(name);
}

/** The same bytes, not a copy. */
const asBuffer = (bytes: Uint8Array): Buffer => (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));

function byTopic(records: readonly OutgoingRecord[]): KafkaJS.TopicMessages[] {
  const topics = new Map<string, KafkaJS.Message[]>();
  for (const { topic, key, value, partition, timestamp, headers } of records) {
    const messages = topics.get(topic) ?? [];
    topics.set(topic, messages);
    messages.push({
      key: key === null ? null : asBuffer(key),
      value: value === null ? null : asBuffer(value),
      headers,
      ...(partition === undefined ? {} : { partition }),
      ...(timestamp === undefined ? {} : { timestamp: String(timestamp) }),
    });
  }
  return [...topics].map(([topic, messages]) => ({ topic, messages }));
}

/** Tracks the sockets of a client to detect whether brokers are reachable. */
class Links {
  readonly #listeners = new Set<(problem: string | undefined) => void>();

  watch(listener: (problem: string | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  report(problem: string | undefined): void {
    for (const listener of this.#listeners) listener(problem);
  }

  readonly socketFactory: KafkaJS.ISocketFactory = ({ host, port, ssl, onConnect }) => {
    let isConnected = false;
    const connected = (): void => {
      isConnected = true;
      this.report(undefined);
      onConnect();
    };
    const socket: Socket = ssl
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...ssl }, connected)
      : connectSocket({ host, port }, connected);
    socket.setKeepAlive(true, 60_000);
    socket.on("error", (error) => {
      if (!isConnected) this.report(`${host}:${port} cannot be reached: ${error.message}`);
    });
    // The library waits for over a minute for responses on a socket that was closed without an error or an end.
    socket.on("close", (hadError) => {
      if (!hadError && !socket.readableEnded) socket.emit("error", new Error("the connection was closed"));
    });
    return socket;
  };
}
