// The brokers that fault tests use: a bare client for each, and a route that moves messages through the broker.
import amqplib, { type Channel, type ChannelModel, type ConfirmChannel } from "amqplib";
import kafkajs, { type Consumer, type Kafka, type Producer } from "kafkajs";
import mqtt, { type MqttClient } from "mqtt";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { FaultyLink, guardedUser, type TestServer } from "@sluice/testkit";
import { kafkaLink } from "../kafka-link.ts";
import { uniqueName } from "../broker-runtime.ts";

/** A bare client of a broker. It reconnects after the broker was restarted. */
export interface Partner {
  /** Creates the queues, topics or streams `in` and `out` of a route with this name. */
  prepare(name: string): Promise<void>;
  /** Resolves when the broker has stored all messages. */
  send(name: string, texts: readonly (string | Buffer)[]): Promise<void>;
  /** All messages in `out` so far, including duplicates. */
  received(name: string): Promise<readonly string[]>;
  /** Number of messages in `in` or in delivery to a consumer; undefined when the broker does not report it. */
  waiting?(name: string): Promise<number>;
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

export interface Family {
  readonly name: string;
  readonly server: "rabbitmq" | "kafka" | "mosquitto" | "nats";
  /** The type and fields of its connection; `heartbeatMs` is the interval at which a silent connection is checked. */
  connection(port: number, heartbeatMs: number): { readonly type: string; readonly values: Readonly<Record<string, unknown>> };
  /** The connection fields of a user whose password the test's server checks. */
  credentials(password: string): Readonly<Record<string, unknown>>;
  /** The source and target endpoints of messages; both use the connection with the name of the flow. */
  from(name: string): string;
  to(name: string): string;
  /** Maximum number of unsettled messages of the source, with the options of `from`. */
  readonly window: number;
  /** Maximum number of messages that the broker holds for a consumer; the test never sends more ahead. */
  readonly maxMessages: number;
  /** The messages whose order is preserved: all of a queue or topic, or those with the same key. */
  readonly order: "all" | "key" | "none";
  /** Whether messages survive a crash of the test's broker. */
  readonly survivesCrash: boolean;
  partner(server: TestServer): Promise<Partner>;
  /** A link to the server that can be cut; `isGuarded`: passwords must be checked behind it, even if the server cannot. */
  link(port: number, isGuarded?: boolean): Promise<{ readonly link: FaultyLink; close(): Promise<void> }>;
  /** How a value gets into an error of the server. */
  readonly leak: Leak;
}

interface Leak {
  /** Fields of the connection that has the name of the flow. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Steps that fail. The body is the value, and also the password of the connection `<name>-login`. */
  steps(name: string): string;
  /** The reply from the route. */
  readonly failure: RegExp;
}

const plainLink = async (port: number): Promise<{ readonly link: FaultyLink; close(): Promise<void> }> => {
  const link = await FaultyLink.to({ host: "127.0.0.1", port });
  return { link, close: () => link.close() };
};

class RabbitPartner implements Partner {
  readonly #port: number;
  #client: ChannelModel | undefined = undefined;
  #channel: Channel | undefined = undefined;
  #confirmed: ConfirmChannel | undefined = undefined;
  readonly #received = new Map<string, string[]>();

  constructor(port: number) {
    this.#port = port;
  }

  async reconnect(): Promise<void> {
    this.#client = await amqplib.connect(`amqp://guest:guest@127.0.0.1:${this.#port}`);
    this.#client.on("error", () => undefined);
    this.#channel = await this.#client.createChannel();
    this.#confirmed = await this.#client.createConfirmChannel();
    for (const channel of [this.#channel, this.#confirmed]) channel.on("error", () => undefined);
  }

  async prepare(name: string): Promise<void> {
    for (const queue of [`${name}.in`, `${name}.out`]) await this.#channel?.assertQueue(queue, { durable: true });
  }

  async send(name: string, texts: readonly (string | Buffer)[]): Promise<void> {
    for (const text of texts) this.#confirmed?.sendToQueue(`${name}.in`, Buffer.from(text), { contentType: "text/plain", persistent: true });
    await this.#confirmed?.waitForConfirms();
  }

  async received(name: string): Promise<readonly string[]> {
    const texts = this.#received.get(name) ?? [];
    this.#received.set(name, texts);
    for (let message = await this.#channel?.get(`${name}.out`, { noAck: true }); message; message = await this.#channel?.get(`${name}.out`, { noAck: true }))
      // Text sent over AMQP 1.0 is at the end of the message's bytes.
      texts.push(/message \d+$/.exec(message.content.toString("latin1"))?.[0] ?? "");
    return texts;
  }

  async waiting(name: string): Promise<number> {
    return (await this.#channel?.checkQueue(`${name}.in`))?.messageCount ?? 0;
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}

class KafkaPartner implements Partner {
  readonly #kafka: Kafka;
  readonly #producer: Producer;
  readonly #consumers = new Map<string, { readonly consumer: Consumer; readonly texts: string[] }>();

  constructor(port: number) {
    this.#kafka = new kafkajs.Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: kafkajs.logLevel.NOTHING });
    this.#producer = this.#kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  }

  async reconnect(): Promise<void> {
    await this.#producer.connect();
  }

  async prepare(name: string): Promise<void> {
    await this.#producer.send({ topic: `${name}-out`, messages: [] }).catch(() => undefined);
  }

  async send(name: string, texts: readonly (string | Buffer)[]): Promise<void> {
    for (let at = 0; at < texts.length; at += 500)
      await this.#producer.send({ topic: `${name}-in`, messages: texts.slice(at, at + 500).map((value) => ({ value, key: String(value).slice(-1) })) });
  }

  async received(name: string): Promise<readonly string[]> {
    const existing = this.#consumers.get(name);
    if (existing !== undefined) return existing.texts;
    const consumer = this.#kafka.consumer({ groupId: uniqueName(), maxWaitTimeInMs: 100 });
    const texts: string[] = [];
    this.#consumers.set(name, { consumer, texts });
    await consumer.connect();
    await consumer.subscribe({ topic: `${name}-out`, fromBeginning: true });
    await consumer.run({ eachMessage: ({ message }) => Promise.resolve(void texts.push(message.value?.toString() ?? "")) });
    return texts;
  }

  async close(): Promise<void> {
    for (const { consumer } of this.#consumers.values()) await consumer.disconnect();
    await this.#producer.disconnect();
  }
}

class MqttPartner implements Partner {
  readonly #port: number;
  readonly #texts = new Map<string, string[]>();
  #client: MqttClient | undefined = undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async reconnect(): Promise<void> {
    // The client reconnects automatically, and the broker keeps its session.
    if (this.#client !== undefined) return;
    const options = { protocolVersion: 5, clean: false, clientId: uniqueName(), reconnectPeriod: 200, properties: { sessionExpiryInterval: 3600 } } as const;
    this.#client = await mqtt.connectAsync(`mqtt://127.0.0.1:${this.#port}`, options);
    this.#client.on("error", () => undefined);
    this.#client.on("message", (topic, payload) => this.#texts.get(topic)?.push(payload.toString()));
  }

  async prepare(name: string): Promise<void> {
    this.#texts.set(`${name}/out`, []);
    await this.#client?.subscribeAsync(`${name}/out`, { qos: 1 });
  }

  async send(name: string, texts: readonly (string | Buffer)[]): Promise<void> {
    const client = this.#client as MqttClient;
    for (let at = 0; at < texts.length; at += 50)
      await Promise.all(texts.slice(at, at + 50).map((text) => client.publishAsync(`${name}/in`, text, { qos: 1 })));
    // Mosquitto confirms messages before it saves them, and reads the next message only after saving.
    await client.publishAsync(`${name}/sent`, "", { qos: 1 });
  }

  received(name: string): Promise<readonly string[]> {
    return Promise.resolve(this.#texts.get(`${name}/out`) ?? []);
  }

  async close(): Promise<void> {
    await this.#client?.endAsync(true);
  }
}

class NatsPartner implements Partner {
  readonly #port: number;
  readonly #texts = new Map<string, string[]>();
  #client: NatsConnection | undefined = undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async reconnect(): Promise<void> {
    await this.#client?.close();
    this.#client = await connect({ servers: `127.0.0.1:${this.#port}`, maxReconnectAttempts: -1 });
  }

  async prepare(name: string): Promise<void> {
    const manager = await jetstreamManager(this.#client as NatsConnection);
    await manager.streams.add({ name, subjects: [`${name}.>`] });
    await manager.consumers.add(name, { durable_name: "test", filter_subject: `${name}.out`, ack_policy: "explicit" });
  }

  async send(name: string, texts: readonly (string | Buffer)[]): Promise<void> {
    const stream = jetstream(this.#client as NatsConnection);
    for (let at = 0; at < texts.length; at += 100) await Promise.all(texts.slice(at, at + 100).map((text) => stream.publish(`${name}.in`, text)));
  }

  async received(name: string): Promise<readonly string[]> {
    const texts = this.#texts.get(name) ?? [];
    this.#texts.set(name, texts);
    const consumer = await jetstream(this.#client as NatsConnection).consumers.get(name, "test");
    for (let pending = (await consumer.info()).num_pending; pending > 0; pending = (await consumer.info()).num_pending)
      for await (const message of await consumer.fetch({ max_messages: Math.min(pending, 1000), expires: 1000 })) {
        texts.push(message.string());
        message.ack();
      }
    return texts;
  }

  async waiting(name: string): Promise<number> {
    const { num_pending: pending } = await (await jetstreamManager(this.#client as NatsConnection)).consumers.info(name, `sluice-${name}-${name}`);
    return pending;
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}

const connected = async (partner: Partner): Promise<Partner> => {
  await partner.reconnect();
  return partner;
};

// Mosquitto holds 1,000 messages for a client; more are dropped.
const mqttFamily = (name: "paho" | "paho-mqtt5", sessionOption: string): Family => ({
  name,
  server: "mosquitto",
  connection: (port, heartbeatMs) => ({
    type: "mqtt",
    values: { brokerUrl: `tcp://127.0.0.1:${port}`, keepAliveInterval: Math.ceil(heartbeatMs / 1000), connectionTimeout: 5 },
  }),
  credentials: (password) => ({ userName: guardedUser.name, password }),
  from: (flow) => `${name}:${flow}/in?connection=#${flow}&qos=1&${sessionOption}=false`,
  to: (flow) => `${name}:${flow}/out?connection=#${flow}&qos=1`,
  window: 20,
  maxMessages: 500,
  order: "all",
  survivesCrash: true,
  partner: (server) => connected(new MqttPartner(server.port)),
  link: plainLink,
  // Mosquitto's errors are numbers.
  leak: { steps: (flow) => `{to: "${name}:${flow}/out?connection=#${flow}-login"}`, failure: /not authorized/i },
});

export const families: readonly Family[] = [
  {
    name: "spring-rabbitmq",
    server: "rabbitmq",
    connection: (port, heartbeatMs) => ({ type: "rabbitmq", values: { host: "127.0.0.1", port, heartbeat: heartbeatMs } }),
    credentials: (password) => ({ username: "guest", password: password === guardedUser.password ? "guest" : password }),
    from: (name) => `spring-rabbitmq:default?queues=${name}.in&arg.queue.durable=true&prefetchCount=50&retryDelay=5&connectionFactory=#${name}`,
    to: (name) => `spring-rabbitmq:default?routingKey=${name}.out&confirmTimeout=2000&connectionFactory=#${name}`,
    window: 50,
    maxMessages: Infinity,
    order: "all",
    survivesCrash: true,
    partner: (server) => connected(new RabbitPartner(server.port)),
    link: plainLink,
    leak: {
      steps: (name) =>
        `{setHeader: {name: CamelSpringRabbitmqExchangeOverrideName, simple: "\${body}"}}, {to: "spring-rabbitmq:default?exchangePattern=InOnly&connectionFactory=#${name}"}`,
      failure: /no exchange '\*\*\*'/,
    },
  },
  {
    name: "jms",
    server: "rabbitmq",
    connection: (port, heartbeatMs) => ({
      type: "amqp",
      values: {
        url: `amqp://127.0.0.1:${port}`,
        username: "guest",
        password: "guest",
        queuePrefix: "/queue/",
        idleTimeout: heartbeatMs,
        connectTimeout: 5000,
      },
    }),
    credentials: (password) => ({ username: "guest", password: password === guardedUser.password ? "guest" : password }),
    from: (name) => `jms:${name}.in?recoveryInterval=500&redeliveryDelay=5&connectionFactory=#${name}`,
    to: (name) => `jms:${name}.out?connectionFactory=#${name}`,
    window: 100,
    maxMessages: Infinity,
    order: "all",
    survivesCrash: true,
    partner: (server) => connected(new RabbitPartner(server.port)),
    link: plainLink,
    leak: {
      // RabbitMQ creates a queue that does not exist, but no exchange.
      values: { queuePrefix: "/exchange/" },
      steps: (name) => `{setHeader: {name: CamelJmsDestinationName, simple: "\${body}"}}, {to: "jms:unused?exchangePattern=InOnly&connectionFactory=#${name}"}`,
      failure: /no exchange '\*\*\*'/,
    },
  },
  {
    name: "kafka",
    server: "kafka",
    // The mock broker lets a member rejoin only after the session of the previous one has expired.
    connection: (port, heartbeatMs) => ({ type: "kafka", values: { brokers: `127.0.0.1:${port}`, requestTimeoutMs: heartbeatMs * 2 } }),
    credentials: (password) => ({ securityProtocol: "SASL_PLAINTEXT", saslMechanism: "PLAIN", saslUsername: guardedUser.name, saslPassword: password }),
    from: (name) =>
      `kafka:${name}-in?autoOffsetReset=earliest&sessionTimeoutMs=6000&heartbeatIntervalMs=500&consumersCount=4&autoCommitIntervalMs=200&connection=#${name}`,
    to: (name) => `kafka:${name}-out?connection=#${name}`,
    window: 4,
    maxMessages: Infinity,
    order: "key",
    survivesCrash: false,
    partner: (server) => connected(new KafkaPartner(server.port)),
    link: (port, isGuarded = false) => kafkaLink(port, isGuarded ? guardedUser.password : undefined),
    leak: { steps: (name) => `{to: "kafka:${name}-out?connection=#${name}-login"}`, failure: /the password '\*\*\*' is wrong/ },
  },
  mqttFamily("paho", "cleanSession"),
  mqttFamily("paho-mqtt5", "cleanStart"),
  {
    name: "nats",
    server: "nats",
    connection: (port, heartbeatMs) => ({ type: "nats", values: { servers: `127.0.0.1:${port}`, pingInterval: heartbeatMs, maxPingsOut: 1 } }),
    credentials: (password) => ({ user: guardedUser.name, password }),
    from: (name) => `nats:${name}.in?jetstreamEnabled=true&jetstreamName=${name}&ackWait=2000&nackWait=100&reconnectTimeWait=200&connection=#${name}`,
    to: (name) => `nats:${name}.out?jetstreamEnabled=true&requestTimeout=1000&connection=#${name}`,
    window: 10,
    maxMessages: Infinity,
    order: "none",
    survivesCrash: true,
    partner: (server) => connected(new NatsPartner(server.port)),
    link: plainLink,
    leak: {
      steps: (name) => `{toD: "nats:denied.\${body}?jetstreamEnabled=true&requestTimeout=1000&connection=#${name}"}`,
      failure: /NATS rejected 'denied\.\*\*\*': Permissions Violation/,
    },
  },
];
