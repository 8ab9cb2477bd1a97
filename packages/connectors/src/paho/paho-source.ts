// A subscription with a dedicated client: a message is acknowledged when its run is done, and only then is the next one read.
import type { IClientOptions, IPublishPacket, MqttClient } from "mqtt";
import {
  CompileError,
  type Awaitable,
  type Connection,
  type Delivery,
  type Endpoint,
  type Host,
  type Message,
  type Source,
  type SourceInput,
} from "@sluice/engine/spi";
import { reconnectBackOff } from "@sluice/engine/tools";
import { MessageReceiver, singleAttempt } from "../message-receiver/message-receiver.ts";
import { combineUntilImmediate } from "../messaging/combine-writes.ts";
import { brokerMessage, every, routeName, CancellableDelays, traceReader } from "../messaging/incoming.ts";
import { SourceHeaders } from "../messaging/source-headers.ts";
import { dedicatedLink } from "../reconnecting/dedicated-link.ts";
import { reconnectAttempts, whileConnected, type Subscription } from "../reconnecting/while-connected.ts";
import type { DeadLetters } from "../sluice/sluice.ts";
import { endLink, type MqttLinks } from "./mqtt-links.ts";
import type { PahoDialect } from "./paho-dialect.ts";
import type { PahoOptions } from "./paho-options.ts";

export interface PahoParts {
  readonly host: Host;
  readonly deadLetters: DeadLetters;
  readonly dialect: PahoDialect;
}

interface Item {
  readonly packet: IPublishPacket;
  outcome: "settled" | "returned" | { readonly retryAfterMs: number } | undefined;
}

type Work = (packet: IPublishPacket, settled: () => void) => void;

/** A client and the handler of its messages, which is set when the route has subscribed. */
interface Link {
  readonly client: MqttClient;
  readonly lost: (problem: string) => void;
  work: Work | undefined;
  /**
   * A message that arrived before `work` was set. There is at most one, because the client reads no further until it is acknowledged.
   */
  pendingMessage: Parameters<Work> | undefined;
}

/** A wildcard must be a complete level, and `#` must be the last level. */
const isTopicFilter = (filter: string): boolean =>
  filter.split("/").every((level, index, levels) => level === "+" || (level === "#" && index === levels.length - 1) || !/[+#]/.test(level));

export function pahoSource(endpoint: Endpoint<PahoOptions>, shared: Connection<MqttLinks>, parts: PahoParts): Source {
  const { options, uri } = endpoint;
  const { host, dialect } = parts;
  if (!isTopicFilter(options.topic))
    throw new CompileError("bad-option", `'${options.topic}' is not a valid topic filter`, {
      option: "topic",
      hint: "`+` replaces one level and `#` the rest, each between slashes: orders/+/new, orders/#",
    });
  const isClean = dialect.isClean(options);
  let currentInput: SourceInput | undefined;
  const connection = dedicatedLink<MqttLinks, Link>(shared, {
    async open(links, lost) {
      const link: Pick<Link, "lost" | "work" | "pendingMessage"> = { lost, work: undefined, pendingMessage: undefined };
      // An existing session sends its messages before the subscription is confirmed.
      const handle: Work = (packet, settled) => (link.work === undefined ? void (link.pendingMessage = [packet, settled]) : link.work(packet, settled));
      const clientId = options.clientId ?? links.clientId ?? routeName(currentInput?.route ?? { flowId: "", id: "" });
      const client = await links.open(linkOptions(clientId, options, dialect), lost, (created) => {
        // With QoS 2, the broker considers a message delivered at the first acknowledgement, so this acknowledgement must follow the run.
        created.options.customHandleAcks = (_topic, _message, packet, done) => {
          const acknowledge = (): void => (done as (code: number) => void)(0);
          if ((packet as IPublishPacket).qos === 2) handle(packet as IPublishPacket, acknowledge);
          else acknowledge();
        };
        // Also called for QoS 2, when the message is released; by then its run is done.
        created.handleMessage = (packet, settled) => (packet.qos === 2 ? settled() : handle(packet, () => settled()));
      });
      return Object.assign(link, { client });
    },
    close: ({ client }) => endLink(client),
    failed: (problem) => host.log.write("WARN", "sluice.mqtt", `${uri}: ${String(problem)}`),
  });

  const begin = async (link: Link, routeInput: SourceInput): Promise<Subscription> => {
    const { client } = link;
    const waits = new CancellableDelays(host.clock);
    const messageReceiver = receiverOf(routeInput, endpoint, parts);
    let isStopping = false;
    let received = 0;
    let receivedBefore = 0;
    const work: Work = (packet, settled) => {
      received++;
      const item: Item = { packet, outcome: undefined };
      // Without a connection the broker gets no acknowledgement and redelivers the message.
      const end = (): void => {
        if (item.outcome !== "settled" || !client.connected) return;
        // Messages that arrive together are processed in separate ticks; this combines the writes that follow them.
        combineUntilImmediate(client.stream);
        settled();
      };
      const pending = messageReceiver.take(item);
      if (pending === undefined && typeof item.outcome !== "object") end();
      else void repeat(item, pending).then(end);
    };
    const repeat = async (item: Item, pending: Awaitable): Promise<void> => {
      await pending;
      while (typeof item.outcome === "object") {
        await waits.wait(item.outcome.retryAfterMs);
        if (waits.isOver) break;
        await messageReceiver.take(item);
      }
    };
    // The response to the subscription is queued behind messages in progress; those also prove that the session works.
    await new Promise<void>((resolve, reject) => {
      link.work = (packet, settled) => {
        resolve();
        // A broker that retains the session redelivers unacknowledged messages when the source reconnects.
        if (!isStopping) work(packet, settled);
      };
      if (link.pendingMessage !== undefined) link.work(...link.pendingMessage);
      client.once("close", () => reject(new Error("the connection was lost before the broker confirmed the subscription")));
      subscribe(client, options).then(resolve, (error: Error) => {
        reject(error);
        if (!isStopping) link.lost(error.message);
      });
    });
    // During a run the client reads nothing, so a ping response waits behind earlier messages. The client would mistake a busy
    // connection for a dead one.
    const endPings = every(host.clock, (client.options.keepalive ?? 60) * 500, () => {
      const isAlive = messageReceiver.inflight > 0 || received !== receivedBefore;
      receivedBefore = received;
      if (!isAlive || !client.connected) return;
      client.sendPing();
      client.reschedulePing(true);
    });
    return {
      async stop() {
        endPings();
        // A clean session is drained before it ends: the broker's response follows all messages that it sent before.
        if (isClean && client.connected) await client.unsubscribeAsync(options.topic).catch(() => undefined);
        isStopping = true;
        waits.end();
        await messageReceiver.stop();
        await endLink(client);
      },
    };
  };

  const source = whileConnected({
    connection,
    host,
    begin,
    backOff: { ...reconnectBackOff, maxMs: Math.min(reconnectBackOff.maxMs, options.maxReconnectDelay) },
    ...(options.automaticReconnect ? {} : { reconnectLimit: reconnectAttempts(0, "automaticReconnect=false") }),
  });
  return {
    claims: [],
    exclusive: true,
    everyWorker: false,
    async start(routeInput) {
      currentInput = routeInput;
      if (isClean || options.qos === 0)
        host.log.write(
          "WARN",
          "sluice.mqtt",
          `${uri}: messages sent while the source is disconnected are lost; set ${dialect.cleanOption}=false and qos=1 to keep them`,
        );
      await source.start(routeInput);
    },
    stop: () => source.stop(),
  };
}

async function subscribe(client: MqttClient, { topic, qos }: PahoOptions): Promise<void> {
  const granted = await client.subscribeAsync(topic, { qos: qos as 0 | 1 | 2 });
  const refused = granted.find((grant) => grant.qos >= 128);
  if (refused !== undefined) throw new Error(`the broker rejected the subscription to '${topic}', reason ${refused.qos}`);
}

function linkOptions(clientId: string, options: PahoOptions, dialect: PahoDialect): IClientOptions {
  const protocolVersion = dialect.versionOf(options);
  const clean = dialect.isClean(options);
  const { sessionExpiryInterval = -1, receiveMaximum, willTopic, willPayload, willQos, willRetained } = options;
  const expiry = sessionExpiryInterval >= 0 ? sessionExpiryInterval : clean ? 0 : 4_294_967_295;
  return {
    clientId,
    clean,
    protocolVersion,
    ...(protocolVersion === 3 ? { protocolId: "MQIsdp" } : {}),
    ...(protocolVersion === 5 ? { properties: { sessionExpiryInterval: expiry, receiveMaximum: receiveMaximum ?? 65_535 } } : {}),
    ...(willTopic === undefined
      ? {}
      : { will: { topic: willTopic, payload: Buffer.from(willPayload ?? ""), qos: willQos as 0 | 1 | 2, retain: willRetained } }),
  };
}

function receiverOf(routeInput: SourceInput, { options, uri }: Endpoint<PahoOptions>, { host, deadLetters, dialect }: PahoParts): MessageReceiver<Item> {
  const withTrace = traceReader(host);
  const headers = sourceHeaders(dialect);
  let delivery: Delivery = { pattern: options.exchangePattern, trigger: { uri } };
  return new MessageReceiver<Item>(
    routeInput,
    {
      messageOf: ({ packet }) => messageOf(packet, headers),
      deliveryOf({ packet }) {
        if (delivery.trigger?.path !== packet.topic) delivery = { pattern: options.exchangePattern, trigger: { uri, path: packet.topic } };
        return withTrace(delivery, packet.properties?.userProperties?.["traceparent"]);
      },
      idOf: () => undefined,
      settle(item, outcome) {
        if (outcome.kind !== "redeliver") item.outcome = "settled";
        // The protocol cannot redeliver a message on the same connection, so it is retried here unless the source stops.
        else item.outcome = outcome.waitMs > 0 ? { retryAfterMs: outcome.waitMs } : "returned";
      },
    },
    { ...singleAttempt, cannotRedeliver: options.qos === 0 || dialect.isClean(options) },
    { clock: host.clock, deadLetters, failed: (problem) => host.log.write("ERROR", "sluice.mqtt", `${uri}: ${problem}`) },
  );
}

function messageOf(packet: IPublishPacket, headers: SourceHeaders<IPublishPacket>): Message {
  const { payload, properties } = packet;
  const body = typeof payload === "string" ? new TextEncoder().encode(payload) : new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
  const user = properties?.userProperties;
  return brokerMessage(body, user === undefined ? undefined : { ...user }, headers.of(packet));
}

/** The headers that Camel's source sets. */
function sourceHeaders(dialect: PahoDialect): SourceHeaders<IPublishPacket> {
  return new SourceHeaders<IPublishPacket>({
    CamelMqttTopic: ({ topic }) => topic,
    CamelMqttQoS: ({ qos }) => qos,
    [dialect.retained]: ({ retain }) => (retain ? true : undefined),
    ...(dialect.properties === undefined ? {} : { [dialect.properties]: ({ properties }) => definedProperties(properties) }),
  });
}

function definedProperties(properties: IPublishPacket["properties"]): Readonly<Record<string, unknown>> | undefined {
  if (properties === undefined) return undefined;
  const { contentType, responseTopic, correlationData, messageExpiryInterval, payloadFormatIndicator } = properties;
  const defined = Object.entries({ contentType, responseTopic, correlationData, messageExpiryInterval, payloadFormatIndicator }).filter(
    ([, value]) => value !== undefined,
  );
  return defined.length === 0 ? undefined : Object.fromEntries(defined);
}
