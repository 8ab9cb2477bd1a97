import type * as Amqplib from "amqplib";
import { CompileError, defineConnection, FlowError, type BeanForm, type ClientPackage } from "@sluice/engine/spi";
import { f, type Values } from "@sluice/model";
import { tlsField, certificateOptions } from "../tls/tls-field.ts";

export type RabbitClient = Amqplib.ChannelModel;

export const amqplibPackage: ClientPackage = { package: "amqplib", version: "2.3.1", reason: "the RabbitMQ client" };

const rabbitFields = {
  url: f.text({
    doc: "Address as a URL; overrides host, port, addresses, vhost, username and password.",
    secret: true,
    examples: ["amqps://broker.example/shop"],
  }),
  host: f.string({ doc: "Host name or address of the server.", default: "localhost" }),
  port: f.integer({ doc: "Port; 5672 by default, or 5671 with TLS.", min: 1, max: 65_535 }),
  addresses: f.string({
    doc: "Several servers, separated by commas and tried in order; overrides host. Addresses without a port use `port`.",
    examples: ["one:5672,two:5672"],
  }),
  vhost: f.string({ doc: "The virtual host.", default: "/" }),
  username: f.string({ doc: "The user name.", default: "guest", group: "security" }),
  password: f.text({ doc: "The password; `guest` by default.", secret: true, group: "security" }),
  secure: f.boolean({ doc: "Whether to use TLS.", default: false, group: "security" }),
  tls: tlsField,
  heartbeat: f.duration({ doc: "Heartbeat interval; after two missed heartbeats the connection counts as lost.", default: 30_000, group: "advanced" }),
  connectionTimeout: f.duration({ doc: "Timeout for connecting.", default: 10_000, group: "advanced" }),
};

type RabbitValues = Values<typeof rabbitFields>;

export const rabbitmqConnection = defineConnection({
  type: "rabbitmq",
  title: "RabbitMQ",
  summary: "A RabbitMQ server, over AMQP 0-9-1.",
  group: "messaging",
  icon: "queue",
  since: "0.2",
  kinds: ["rabbitmq"],
  fields: rabbitFields,
  beans: [
    {
      names: ["org.springframework.amqp.rabbit.connection.CachingConnectionFactory", "com.rabbitmq.client.ConnectionFactory"],
      fields: (properties: Readonly<Record<string, string>>, className: string) => factoryFields(properties, className),
    } satisfies BeanForm,
  ],
  verifiedAgainst: ["RabbitMQ 3.10"],
  needs: [amqplibPackage],
  async open(values, context): Promise<RabbitClient> {
    const loaded = await context.load<typeof Amqplib & { readonly default?: typeof Amqplib }>(amqplibPackage);
    const client = await connectToAny(loaded.default ?? loaded, values);
    let problem = "the server closed the connection";
    client.on("error", (error: Error) => void (problem = error.message));
    client.on("close", () => context.disconnected(problem));
    return client;
  },
  close: (client) => client.close(),
  cannotBrowse:
    "AMQP 0-9-1 has no command that lists queues or exchanges; enter the name as shown by `rabbitmqctl list_queues`, `rabbitmqctl list_exchanges` or the management page",
  async check(client) {
    const channel = await client.createChannel();
    await channel.close();
    return `RabbitMQ ${client.connection.serverProperties.version}`;
  },
});

async function connectToAny(amqplib: typeof Amqplib, values: RabbitValues): Promise<RabbitClient> {
  const options: Amqplib.SocketOptions = {
    ...certificateOptions(values.tls),
    timeout: values.connectionTimeout,
    noDelay: true,
    keepAlive: true,
    clientProperties: { connection_name: "sluice" },
  };
  let failure: unknown;
  for (const target of targetsOf(values)) {
    try {
      return await amqplib.connect(target, options);
    } catch (error) {
      failure = error;
    }
  }
  throw connectError(failure);
}

/** The servers to try, in the client's format. */
function targetsOf(values: RabbitValues): readonly Amqplib.Options.Connect[] {
  const heartbeat = Math.ceil(values.heartbeat / 1000);
  if (values.url !== undefined) return [{ ...urlParts(values.url), heartbeat }];
  const { host, port, addresses, vhost, username, password = "guest", secure, tls } = values;
  const isSecure = secure || tls !== undefined;
  const defaultPort = port ?? (isSecure ? 5671 : 5672);
  const servers =
    addresses === undefined ? [{ hostname: host, port: defaultPort }] : addresses.split(",").map((address) => parseAddress(address.trim(), defaultPort));
  // The client decodes the name of the virtual host.
  return servers.map((server) => ({ ...server, protocol: isSecure ? "amqps" : "amqp", vhost: encodeURIComponent(vhost), username, password, heartbeat }));
}

function parseAddress(address: string, defaultPort: number): { readonly hostname: string; readonly port: number } {
  const found = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(address);
  return { hostname: found?.[1] ?? address, port: found?.[2] === undefined ? defaultPort : Number(found[2]) };
}

function urlParts(text: string): Amqplib.Options.Connect {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["amqp:", "amqps:"].includes(url.protocol))
    throw new FlowError("java.lang.IllegalArgumentException", "the url of the RabbitMQ connection must have the form amqp://user:password@host:5672/vhost", {
      code: "rabbitmq-bad-url",
    });
  const vhost = url.pathname.slice(1);
  return {
    protocol: url.protocol.slice(0, -1),
    hostname: url.hostname.replaceAll(/[[\]]/g, ""),
    port: url.port === "" ? (url.protocol === "amqps:" ? 5671 : 5672) : Number(url.port),
    vhost: vhost === "" ? "%2F" : vhost,
    ...(url.username === "" ? {} : { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }),
  };
}

function connectError(error: unknown): FlowError {
  const message = error instanceof Error ? error.message : String(error);
  if (/ACCESS[_-]REFUSED|403/.test(message))
    return new FlowError("org.springframework.amqp.AmqpAuthenticationException", `RabbitMQ rejected the user name or password: ${message}`, {
      code: "rabbitmq-refused-user",
    });
  return new FlowError("org.springframework.amqp.AmqpConnectException", `RabbitMQ cannot be reached: ${message}`, {
    code: "rabbitmq-unreachable",
    retryable: true,
  });
}

/** Properties of Spring's connection factory and of the client factory it may wrap. */
const factoryNames: Readonly<Record<string, string>> = {
  host: "host",
  hostname: "host",
  port: "port",
  addresses: "addresses",
  uri: "url",
  virtualHost: "vhost",
  username: "username",
  password: "password",
  connectionTimeout: "connectionTimeout",
};

/** Properties that configure channels and threads of the Java client. */
const javaClientProperties =
  /^(?:cacheMode|channelCacheSize|channelCheckoutTimeout|connectionCacheSize|connectionLimit|connectionNameStrategy|publisher\w+|automaticRecoveryEnabled|topologyRecoveryEnabled|networkRecoveryInterval|requestedChannelMax|requestedFrameMax|handshakeTimeout|shutdownTimeout|closeTimeout|beanName)$/;

function factoryFields(properties: Readonly<Record<string, string>>, className: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [property, value] of Object.entries(properties)) {
    const name = property.replace(/^rabbitConnectionFactory\./, "");
    if (name === "requestedHeartBeat" || name === "requestedHeartbeat") fields["heartbeat"] = `${value}s`;
    else if (factoryNames[name] !== undefined) fields[factoryNames[name]] = value;
    else if (!javaClientProperties.test(name))
      throw new CompileError("bean-property-unknown", `property '${property}' of ${className} is not supported`, {
        hint: `supported: ${[...Object.keys(factoryNames), "requestedHeartBeat"].join(", ")}`,
      });
  }
  return fields;
}
