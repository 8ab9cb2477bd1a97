// Converts between RabbitMQ messages and Sluice messages.
import type { Message as RabbitMessage, Options } from "amqplib";
import { FlowError, type Exchange, type Message } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { brokerMessage } from "../messaging/incoming.ts";
import { SourceHeaders } from "../messaging/source-headers.ts";
import { headerText, headerValuesOf } from "../messaging/outgoing.ts";

const prefix = "CamelSpringRabbitmq";
export const routingKeyHeaders = [`${prefix}RoutingOverrideKey`, "CamelRabbitmqRoutingKey"];
export const exchangeHeaders = [`${prefix}ExchangeOverrideName`, "CamelRabbitmqExchangeOverrideName"];

const deliveryModeOf = (mode: unknown): string | undefined => (mode === undefined ? undefined : mode === 2 ? "PERSISTENT" : "NON_PERSISTENT");

/** The headers that Camel's source sets. */
const sourceHeaders = new SourceHeaders<RabbitMessage>({
  [`${prefix}ExchangeName`]: ({ fields }) => fields.exchange,
  [`${prefix}RoutingKey`]: ({ fields }) => fields.routingKey,
  [`${prefix}Redelivered`]: ({ fields }) => fields.redelivered,
  [`${prefix}DeliveryTag`]: ({ fields }) => fields.deliveryTag,
  [`${prefix}DeliveryMode`]: ({ properties }) => deliveryModeOf(properties.deliveryMode),
  [`${prefix}Type`]: ({ properties }) => properties.type as unknown,
  [`${prefix}ContentType`]: ({ properties }) => properties.contentType as unknown,
  [`${prefix}ContentLength`]: ({ content }) => content.length,
  [`${prefix}ContentEncoding`]: ({ properties }) => properties.contentEncoding as unknown,
  [`${prefix}MessageId`]: ({ properties }) => properties.messageId as unknown,
  [`${prefix}CorrelationId`]: ({ properties }) => properties.correlationId as unknown,
  [`${prefix}ReplyTo`]: ({ properties }) => properties.replyTo as unknown,
  [`${prefix}Expiration`]: ({ properties }) => properties.expiration as unknown,
  [`${prefix}Timestamp`]: ({ properties: { timestamp } }) => (timestamp === undefined ? undefined : new Date((timestamp as number) * 1000)),
  [`${prefix}UserId`]: ({ properties }) => properties.userId as unknown,
  [`${prefix}AppId`]: ({ properties }) => properties.appId as unknown,
  [`${prefix}Priority`]: ({ properties }) => properties.priority as unknown,
  [`${prefix}ClusterId`]: ({ properties }) => properties.clusterId as unknown,
});

/** Creates the message with its own headers and those that Camel's source sets. */
export function receivedMessage(message: RabbitMessage): Message {
  const { content, properties } = message;
  const isText = typeof properties.contentType === "string" && /^text\//i.test(properties.contentType);
  const body = isText ? content.toString("utf8") : new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  return brokerMessage(body, wireHeaders(properties.headers), sourceHeaders.of(message));
}

function wireHeaders(headers: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, unknown>> | undefined {
  const names = headers === undefined ? [] : Object.keys(headers);
  if (headers === undefined || names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, plainValue(headers[name])]));
}

/** The client returns timestamps and decimals as tagged objects. */
function plainValue(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plainValue);
  const { "!": tag, value: inner } = value as { readonly "!"?: string; readonly value?: unknown };
  if (tag === "timestamp" && typeof inner === "number") return new Date(inner * 1000);
  if (tag !== undefined) return inner;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainValue(item)]));
}

/** The value of the first of these headers that the route set. Received headers never select an exchange or key. */
export function ownHeader({ headers }: Message, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers.getOwn(name);
    if (value !== undefined && value !== null) return asText(value);
  }
  return undefined;
}

/** Computed once, because each name is looked up for every message. */
const propertyHeaders = {
  type: `${prefix}Type`,
  contentType: `${prefix}ContentType`,
  contentEncoding: `${prefix}ContentEncoding`,
  messageId: `${prefix}MessageId`,
  correlationId: `${prefix}CorrelationId`,
  replyTo: `${prefix}ReplyTo`,
  expiration: `${prefix}Expiration`,
  userId: `${prefix}UserId`,
  appId: `${prefix}AppId`,
  priority: `${prefix}Priority`,
  timestamp: `${prefix}Timestamp`,
  deliveryMode: `${prefix}DeliveryMode`,
};

/** Properties and headers of a message to send. `body` is the body before serialization. */
export function propertiesToSend(exchange: Exchange, body: unknown): Options.Publish {
  const { headers } = exchange.message;
  const text = (name: keyof typeof propertyHeaders): string | undefined => {
    const value = headers.getOwn(propertyHeaders[name]);
    return value === undefined || value === null ? undefined : asText(value);
  };
  const table = headerValuesOf(exchange);
  // The client omits properties that are undefined.
  return {
    type: text("type"),
    contentType: text("contentType") ?? contentTypeOf(body),
    contentEncoding: text("contentEncoding") ?? (typeof body === "string" ? "UTF-8" : undefined),
    messageId: text("messageId"),
    correlationId: text("correlationId"),
    replyTo: text("replyTo"),
    expiration: text("expiration"),
    userId: text("userId"),
    appId: text("appId"),
    priority: priorityOf(text("priority")),
    timestamp: secondsOf(headers.getOwn(propertyHeaders.timestamp)),
    persistent: isPersistent(text("deliveryMode")),
    // The client makes this the prototype of another object, which is slow even when it is empty.
    headers: table.length === 0 ? undefined : Object.fromEntries(table.map(([name, value]) => [name, tableValue(value)])),
  };
}

const contentTypeOf = (body: unknown): string =>
  typeof body === "string" ? "text/plain" : body instanceof Uint8Array ? "application/octet-stream" : "application/json";

const isPersistent = (mode: string | undefined): boolean => mode === undefined || !/^(?:1|non_?persistent)$/i.test(mode);

function priorityOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const priority = Number(text);
  if (!Number.isInteger(priority) || priority < 0 || priority > 255)
    throw new FlowError("java.lang.IllegalArgumentException", `header '${prefix}Priority' must be an integer from 0 to 255, not '${text}'`, {
      code: "rabbitmq-bad-header",
    });
  return priority;
}

function secondsOf(value: unknown): number | undefined {
  if (value instanceof Date) return Math.floor(value.getTime() / 1000);
  return typeof value === "number" ? Math.floor(value / 1000) : undefined;
}

/** Headers keep their types where the protocol supports them. */
function tableValue(value: unknown): unknown {
  if (typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value);
  return value instanceof Date ? { "!": "timestamp", value: Math.floor(value.getTime() / 1000) } : headerText(value);
}
