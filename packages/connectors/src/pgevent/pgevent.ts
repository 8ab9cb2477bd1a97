// PostgreSQL notifications: LISTEN as a source, NOTIFY as a sink.
import {
  CompileError,
  defineConnector,
  Headers,
  Message,
  type Connection,
  type ConnectorDeclaration,
  type Endpoint,
  type EndpointScope,
  type Host,
  type Sink,
  type Source,
} from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f, type Values } from "@sluice/model";
import { sinkFields, sourceFields } from "../camel-options.ts";
import { linkOf } from "../database/database-link.ts";
import { sqlExceptions, sqlInputError } from "../database/sql-failure.ts";
import type { SqlDatabase } from "../database/sql-database.ts";
import { PushReceiver } from "../message-receiver/push-receiver.ts";
import { collectBody } from "../messaging/outgoing.ts";
import { whileConnected } from "../reconnecting/while-connected.ts";
import type { DeadLetters } from "../sluice/sluice.ts";

const javaObject = "it needs a Java object";

const path = {
  host: f.string({ doc: "Host name or address of the server.", default: "localhost" }),
  port: f.integer({ doc: "Port of the server.", default: 5432, min: 1, max: 65_535 }),
  database: f.string({ doc: "Name of the database." }),
  channel: f.string({ doc: "The channel.", required: true }),
};

const options = {
  datasource: f.string({
    doc: "Name of the connection or of a bean. If set, only the channel of the URI is used.",
    connection: ["postgres"],
  }),
  user: f.string({ doc: "The user name.", default: "postgres", group: "security" }),
  pass: f.text({ doc: "The password.", secret: true, group: "security" }),
  reconnectDelay: f.duration({ doc: "Delay before reconnecting.", default: 5000, group: "advanced" }),
  workerPool: f.unsupported(javaObject),
  workerPoolCoreSize: f.integer({ doc: "Accepted but ignored.", default: 1, group: "advanced" }),
  workerPoolMaxSize: f.integer({ doc: "Accepted but ignored.", default: 10, group: "advanced" }),
  exceptionHandler: f.unsupported(javaObject),
  ...sourceFields,
  ...sinkFields,
};

type PgeventOptions = Values<typeof path> & Values<typeof options>;

/** PostgreSQL's limit for payloads. */
const maxPayloadBytes = 7999;

export function pgeventConnector(deadLetters: DeadLetters | undefined): ConnectorDeclaration {
  return defineConnector({
    scheme: "pgevent",
    title: "PostgreSQL notifications",
    summary: "Receives and sends PostgreSQL notifications.",
    guarantees:
      "Notifications are delivered at most once: PostgreSQL does not store them, so those sent while the route is stopped or disconnected are lost. Notifications are processed one at a time and in order. Up to 10,000 notifications or 16 MB are buffered in memory; additional notifications are dropped and counted in the log. A notification whose run fails becomes a dead letter.",
    group: "database",
    icon: "database",
    since: "0.1",
    syntax: "pgevent:host:port/database/channel",
    roles: ["source", "sink"],
    trigger: "outside",
    workers: "any",
    exceptions: sqlExceptions,
    path,
    options,
    headers: { channel: f.string({ doc: "Channel of the notification." }) },
    examples: [],
    connect: (host) => ({
      source: (endpoint, scope) => pgeventSource(endpoint, scope, host, deadLetters),
      sink: (endpoint, scope) => pgeventSink(endpoint, scope),
    }),
  });
}

function connectionOf({ options: endpointOptions, trusted }: Endpoint<PgeventOptions>, scope: EndpointScope): Connection<SqlDatabase> {
  const { datasource, host, port, database, user, pass } = endpointOptions;
  if (!trusted) throw new CompileError("endpoint-refused", "its server or channel came from a message: write both in the flow");
  const kinds = ["postgres"];
  if (datasource !== undefined) return scope.connection<SqlDatabase>({ reference: datasource.replace(/^#(?:bean:)?(?!class:|type:)/, ""), kinds, inline: {} });
  const inline = { host, port: String(port), user, ...(database === undefined ? {} : { database }), ...(pass === undefined ? {} : { password: pass }) };
  return scope.connection<SqlDatabase>({ reference: undefined, kinds, inline });
}

/** PostgreSQL stores nothing: notifications sent while no session listens are lost. */
function pgeventSource(endpoint: Endpoint<PgeventOptions>, scope: EndpointScope, host: Host, deadLetters: DeadLetters | undefined): Source {
  const { uri } = endpoint;
  const { channel, exchangePattern, reconnectDelay } = endpoint.options;
  const { start, stop } = whileConnected<SqlDatabase>({
    connection: connectionOf(endpoint, scope),
    host,
    backOff: { firstMs: reconnectDelay, maxMs: reconnectDelay },
    async begin(database, routeInput, lost) {
      const pushReceiver = new PushReceiver(routeInput, { clock: host.clock, log: host.log, logger: "pgevent", uri, deadLetters });
      const listening = await database.listen(channel, {
        notified: (payload) =>
          pushReceiver.push({
            message: () => new Message(payload, Headers.of({ channel })),
            delivery: { pattern: exchangePattern, trigger: { uri } },
            bytes: payload.length * 2 + 200,
          }),
        lost: () => lost("the connection for notifications was lost"),
      });
      return {
        async stop() {
          listening.stop();
          await pushReceiver.stop();
        },
      };
    },
  });
  return { claims: [], exclusive: true, start, stop };
}

function pgeventSink(endpoint: Endpoint<PgeventOptions>, scope: EndpointScope): Sink {
  const link = linkOf(connectionOf(endpoint, scope));
  const { channel } = endpoint.options;
  return {
    async send(exchange) {
      await collectBody(exchange.message, maxPayloadBytes);
      const payload = asText(exchange.message.body);
      const bytes = Buffer.byteLength(payload);
      if (bytes > maxPayloadBytes)
        throw sqlInputError("pgevent-payload", `the body has ${bytes} bytes, but a notification can have at most ${maxPayloadBytes}`);
      const executor = await link.executor(exchange);
      await executor.execute({ text: "select pg_notify($1, $2)", values: [channel, payload], isFixed: true }, exchange.run.signal);
    },
  };
}
