import type * as JetStream from "@nats-io/jetstream";
import type * as Transport from "@nats-io/transport-node";
import { readFile } from "node:fs/promises";
import { defineConnection, FlowError, type ClientPackage } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import type { CorkableStream } from "../messaging/combine-writes.ts";
import { tlsField, certificateOptions } from "../tls/tls-field.ts";

/** The connection that endpoints use, with the constructors of the client that they need. */
export interface NatsClient {
  readonly connection: Transport.NatsConnection;
  readonly transport: typeof Transport;
  readonly jetstream: typeof JetStream;
}

/** The client has no public API for its socket, so this reads a private field. */
export function socketOf({ connection }: NatsClient): CorkableStream | undefined {
  return (connection as { readonly protocol?: { readonly transport?: { readonly socket?: CorkableStream } } }).protocol?.transport?.socket;
}

const transportPackage: ClientPackage = { package: "@nats-io/transport-node", version: "3.3.1", reason: "the NATS client" };
const jetstreamPackage: ClientPackage = { package: "@nats-io/jetstream", version: "3.3.1", reason: "the JetStream client" };

export const natsConnectionFields = {
  servers: f.string({ doc: "Addresses of the servers, separated by commas.", default: "localhost:4222", examples: ["nats://one:4222,nats://two:4222"] }),
  user: f.string({ doc: "The user name.", group: "security" }),
  password: f.text({ doc: "The password.", secret: true, group: "security" }),
  token: f.text({ doc: "Token, for servers with token authentication.", secret: true, group: "security" }),
  credentialsFilePath: f.string({ doc: "Path of a credentials file created by the NATS tools.", group: "security" }),
  secure: f.boolean({ doc: "Whether TLS is required.", default: false, group: "security" }),
  tls: tlsField,
  connectionTimeout: f.duration({ doc: "Timeout for connecting.", default: 2000 }),
  pingInterval: f.duration({ doc: "Interval of pings to the server.", default: 120_000, group: "advanced" }),
  maxPingsOut: f.integer({ doc: "Number of unanswered pings after which the connection counts as lost.", default: 2, min: 1, group: "advanced" }),
  noEcho: f.boolean({ doc: "Whether subscriptions ignore messages sent through the same connection.", default: false, group: "advanced" }),
  noRandomizeServers: f.boolean({ doc: "Whether servers are tried in the configured order.", default: false, group: "advanced" }),
} as const;

export const natsConnection = defineConnection({
  type: "nats",
  title: "NATS",
  summary: "A NATS server or cluster.",
  group: "messaging",
  icon: "queue",
  since: "0.2",
  kinds: ["nats"],
  fields: natsConnectionFields,
  verifiedAgainst: ["NATS 2.9"],
  needs: [transportPackage, jetstreamPackage],
  async open(values, context): Promise<NatsClient> {
    const transport = await context.load<typeof Transport>(transportPackage);
    const jetstream = await context.load<typeof JetStream>(jetstreamPackage);
    const { user, password, token, credentialsFilePath: file } = values;
    const options = {
      servers: values.servers.split(",").map((server) => server.trim()),
      // The runtime reconnects and reports lost connections.
      reconnect: false,
      name: "sluice",
      timeout: values.connectionTimeout,
      pingInterval: values.pingInterval,
      maxPingOut: values.maxPingsOut,
      noEcho: values.noEcho,
      noRandomize: values.noRandomizeServers,
      ...(user === undefined ? {} : { user }),
      ...(password === undefined ? {} : { pass: password }),
      ...(token === undefined ? {} : { token }),
      // Errors name their endpoint, so stack traces are not needed. The client would capture one with every request.
      noAsyncTraces: true,
      ...(file === undefined ? {} : { authenticator: transport.credsAuthenticator(await readFile(file)) }),
      ...(values.secure || values.tls !== undefined ? { tls: certificateOptions(values.tls) } : {}),
    };
    const connection = await transport.connect(options).catch((error: unknown) => {
      const { name, message } = error as Error;
      throw new FlowError("java.io.IOException", message, { code: "nats-connect", retryable: name !== "AuthorizationError", cause: error });
    });
    let problem = "the server closed the connection";
    void (async () => {
      for await (const { type, ...more } of connection.status()) if (type === "error") problem = (more as { error: Error }).error.message;
    })();
    void connection.closed().then((error) => context.disconnected(error instanceof Error ? error.message : problem));
    return { connection, transport, jetstream };
  },
  close: ({ connection }) => connection.close(),
  async check({ connection }) {
    await connection.flush();
    return `NATS ${connection.info?.version ?? ""}`;
  },
  browses: ["streams", "subjects"],
  // NATS itself does not track which subjects are in use, so the subjects that streams store are listed.
  async browse({ connection, jetstream }, what, prefix, limit) {
    const names = new Set<string>();
    const streams = (await jetstream.jetstreamManager(connection)).streams.list();
    for await (const { config } of streams) for (const name of what === "streams" ? [config.name] : what === "subjects" ? config.subjects : []) names.add(name);
    return [...names]
      .filter((name) => name.startsWith(prefix))
      .toSorted()
      .slice(0, limit);
  },
});
