import type * as Rhea from "rhea";
import { defineConnection, FlowError, isCompileError, type ClientPackage, type ConnectionContext } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { withTimeout } from "../messaging/incoming.ts";
import { tlsField, certificateOptions } from "../tls/tls-field.ts";
import { brokerUrls, factoryFields, rejectOpenWire } from "./connection-factory.ts";

/** The connection that endpoints use, and the capabilities of its broker. */
export interface AmqpClient {
  readonly rhea: typeof Rhea;
  readonly connection: Rhea.Connection;
  readonly queuePrefix: string;
  readonly topicPrefix: string;
  readonly timeoutMs: number;
  /** The client id that durable subscriptions belong to; undefined when each connection gets a new one. */
  readonly clientId: string | undefined;
  /** False for a broker that neither counts failed deliveries nor accepts the `modified` outcome: RabbitMQ before version 4. */
  readonly countsFailures: boolean;
  isOpen: boolean;
  /** Listeners of operations in progress, called when the connection is lost. */
  readonly lostListeners: Set<(problem: string) => void>;
}

const closeMs = 1000;
const rheaPackage: ClientPackage = { package: "rhea", version: "3.0.5", reason: "the AMQP 1.0 client" };

const amqpFields = {
  url: f.text({
    doc: "Address of the broker, or several separated by commas, which are tried in order. `amqps:` uses TLS.",
    default: "amqp://localhost:5672",
    examples: ["amqps://broker.example:5671", "amqp://one:5672,amqp://two:5672"],
  }),
  username: f.string({ doc: "User name; anonymous login by default.", group: "security" }),
  password: f.text({ doc: "The password.", secret: true, group: "security" }),
  tls: tlsField,
  queuePrefix: f.string({ doc: "Prefix of queue addresses, such as `/queue/` for RabbitMQ.", default: "" }),
  topicPrefix: f.string({ doc: "Prefix of topic addresses, such as `/topic/` for RabbitMQ.", default: "" }),
  clientId: f.string({ doc: "Client id that durable subscriptions belong to; by default each connection gets a new one." }),
  idleTimeout: f.duration({ doc: "Time without traffic from the broker after which the connection counts as lost.", default: 60_000, group: "advanced" }),
  connectTimeout: f.duration({
    doc: "Timeout for connecting, for opening links and for the broker to accept a message.",
    default: 15_000,
    group: "advanced",
  }),
};

type AmqpValues = Values<typeof amqpFields>;

export const amqpConnection = defineConnection({
  type: "amqp",
  title: "AMQP 1.0",
  summary: "An AMQP 1.0 broker, such as Artemis, ActiveMQ, Qpid or RabbitMQ.",
  group: "messaging",
  icon: "queue",
  since: "0.2",
  kinds: ["amqp"],
  fields: amqpFields,
  beans: [
    {
      names: [
        "org.apache.qpid.jms.JmsConnectionFactory",
        "org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory",
        "org.messaginghub.pooled.jms.JmsPoolConnectionFactory",
        "org.apache.camel.component.amqp.AMQPComponent",
      ],
      fields: (properties: Readonly<Record<string, string>>, className: string) => factoryFields(properties, className),
    },
    {
      names: ["org.apache.activemq.ActiveMQConnectionFactory", "org.apache.activemq.ActiveMQSslConnectionFactory"],
      fields: (_properties: Readonly<Record<string, string>>, className: string): never => rejectOpenWire(className),
    },
  ],
  verifiedAgainst: ["RabbitMQ 3.10 with the plug-in rabbitmq_amqp1_0"],
  needs: [rheaPackage],
  async open(values, context): Promise<AmqpClient> {
    const loaded = await context.load<typeof Rhea & { readonly default?: typeof Rhea }>(rheaPackage);
    let failure: unknown;
    for (const url of brokerUrls(values.url)) {
      try {
        return await connectTo(loaded.default ?? loaded, url, values, context);
      } catch (error) {
        failure = error;
      }
    }
    throw connectError(failure);
  },
  async close(client) {
    client.isOpen = false;
    for (const listener of [...client.lostListeners]) listener("the connection is closed");
    client.connection.close();
    // A peer that does not respond must not keep the socket open.
    const { socket } = client.connection as unknown as { readonly socket?: { destroy(): void } };
    setTimeout(() => socket?.destroy(), closeMs).unref();
  },
  cannotBrowse: "AMQP 1.0 has no command that lists queues or topics; enter the name as shown in the console of the broker",
  async check(client) {
    if (!client.isOpen) throw new FlowError("jakarta.jms.JMSException", "the connection is closed", { code: "jms-lost", retryable: true });
    const { product = "AMQP 1.0", version = "" } = (client.connection.properties ?? {}) as { readonly product?: string; readonly version?: string };
    return `${product} ${version}`.trim();
  },
});

async function connectTo(rhea: typeof Rhea, url: URL, values: AmqpValues, context: ConnectionContext): Promise<AmqpClient> {
  const container = rhea.create_container({ id: values.clientId ?? `sluice-${context.host.ids.next()}` });
  let client: AmqpClient | undefined;
  let connection: Rhea.Connection | undefined;
  const opened = new Promise<void>((resolve, reject) => {
    const handleLoss = (problem: string): void => {
      reject(new Error(problem));
      if (client?.isOpen !== true) return;
      client.isOpen = false;
      for (const listener of [...client.lostListeners]) listener(problem);
      context.disconnected(problem);
    };
    listenToFailures(container, handleLoss);
    container.on("connection_open", () => resolve());
    // The client throws synchronously for some addresses and reports others later.
    connection = container.connect(connectOptions(url, values));
  });
  opened.catch(() => undefined);
  try {
    await withTimeout(context.host.clock, values.connectTimeout, opened, () => new Error(`no response within ${values.connectTimeout} ms`));
  } catch (error) {
    (connection as { readonly socket?: { destroy(): void } } | undefined)?.socket?.destroy();
    throw error;
  }
  const openConnection = connection as unknown as Rhea.Connection;
  const { product, version } = (openConnection.properties ?? {}) as { readonly product?: string; readonly version?: string };
  const { queuePrefix, topicPrefix, connectTimeout } = values;
  client = {
    rhea,
    connection: openConnection,
    queuePrefix,
    topicPrefix,
    timeoutMs: connectTimeout,
    clientId: values.clientId,
    countsFailures: product !== "RabbitMQ" || Number.parseInt(version ?? "0", 10) >= 4,
    isOpen: true,
    lostListeners: new Set(),
  };
  return client;
}

/**
 * Unhandled events become uncaught exceptions, so the container handles all of them. Links and sessions of endpoints have their own listeners;
 * events that reach the container concern the connection.
 */
function listenToFailures(container: Rhea.Container, onLost: (problem: string) => void): void {
  const failures = ["connection_error", "connection_close", "disconnected", "protocol_error", "error"] as const;
  for (const name of failures) container.on(name, (event: unknown) => onLost(problemOf(event)));
  for (const name of ["session_error", "session_close", "sender_error", "sender_close", "receiver_error", "receiver_close"])
    container.on(name, () => undefined);
}

/** The error that an event of the client reports. */
export function problemOf(event: unknown): string {
  const { error, connection, session, sender, receiver, message } = (event ?? {}) as Readonly<Record<string, { readonly error?: unknown } | undefined>> & {
    readonly message?: unknown;
  };
  const found = error ?? receiver?.error ?? sender?.error ?? session?.error ?? connection?.error;
  const { condition, description, message: text } = (found ?? { message }) as { condition?: string; description?: string; message?: string };
  return [condition, description ?? text].filter((part) => typeof part === "string" && part !== "").join(": ") || "the broker closed the connection";
}

function connectOptions(url: URL, values: AmqpValues): Rhea.ConnectionOptions {
  const isSecure = url.protocol === "amqps:" || values.tls !== undefined;
  const username = values.username ?? (url.username === "" ? undefined : decodeURIComponent(url.username));
  const password = values.password ?? (url.password === "" ? undefined : decodeURIComponent(url.password));
  const hostname = url.hostname.replaceAll(/[[\]]/g, "");
  const common = {
    host: hostname,
    hostname,
    port: url.port === "" ? (isSecure ? 5671 : 5672) : Number(url.port),
    // The runtime reconnects: after some failures the client's own reconnect throws an uncaught exception.
    reconnect: false,
    tcp_no_delay: true,
    idle_time_out: values.idleTimeout,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  return (isSecure ? { ...common, transport: "tls", ...certificateOptions(values.tls) } : common) as unknown as Rhea.ConnectionOptions;
}

function connectError(error: unknown): FlowError {
  if (isCompileError(error)) throw error;
  const message = error instanceof Error ? error.message : String(error);
  if (/sasl|authentication|unauthorized|access_refused/i.test(message))
    return new FlowError("jakarta.jms.JMSSecurityException", `the broker rejected the user name or password: ${message}`, { code: "jms-refused-user" });
  return new FlowError("jakarta.jms.JMSException", `the broker cannot be reached: ${message}`, { code: "jms-unreachable", retryable: true });
}
