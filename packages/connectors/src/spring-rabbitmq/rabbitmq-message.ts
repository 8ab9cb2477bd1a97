// Converts between RabbitMQ messages and Sluice messages.
import type { Message as RabbitMessage, Options } from "amqplib";
import { FlowError, type Exchange, type Message } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { brokerMessage } from "../messaging/incoming.ts";
import { headerText, headerValuesOf } from "../messaging/outgoing.ts";

const prefix = "CamelSpringRabbitmq";
export const routingKeyHeaders = [`${prefix}RoutingOverrideKey`, "CamelRabbitmqRoutingKey"];
export const exchangeHeaders = [`${prefix}ExchangeOverrideName`, "CamelRabbitmqExchangeOverrideName"];

/** Creates the message with its own headers and those that Camel's source sets. */
export function receivedMessage({ content, fields, properties }: RabbitMessage): Message {
  const wire: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(properties.headers ?? {})) wire[name] = plainValue(value);
  const isText = typeof properties.contentType === "string" && /^text\//i.test(properties.contentType);
  const { timestamp, deliveryMode } = properties as { readonly timestamp?: number; readonly deliveryMode?: number };
  return brokerMessage(isText ? content.toString("utf8") : new Uint8Array(content), wire, {
    [`${prefix}ExchangeName`]: fields.exchange,
    [`${prefix}RoutingKey`]: fields.routingKey,
    [`${prefix}Redelivered`]: fields.redelivered,
    [`${prefix}DeliveryTag`]: fields.deliveryTag,
    [`${prefix}DeliveryMode`]: deliveryMode === undefined ? undefined : deliveryMode === 2 ? "PERSISTENT" : "NON_PERSISTENT",
    [`${prefix}Type`]: properties.type as unknown,
    [`${prefix}ContentType`]: properties.contentType as unknown,
    [`${prefix}ContentLength`]: content.length,
    [`${prefix}ContentEncoding`]: properties.contentEncoding as unknown,
    [`${prefix}MessageId`]: properties.messageId as unknown,
    [`${prefix}CorrelationId`]: properties.correlationId as unknown,
    [`${prefix}ReplyTo`]: properties.replyTo as unknown,
    [`${prefix}Expiration`]: properties.expiration as unknown,
    [`${prefix}Timestamp`]: timestamp === undefined ? undefined : new Date(timestamp * 1000),
    [`${prefix}UserId`]: properties.userId as unknown,
    [`${prefix}AppId`]: properties.appId as unknown,
    [`${prefix}Priority`]: properties.priority as unknown,
    [`${prefix}ClusterId`]: properties.clusterId as unknown,
  });
}

/** The client returns timestamps and decimals as tagged objects. */
function plainValue(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plainValue);
  const { "!": mark, value: inner } = value as { readonly "!"?: string; readonly value?: unknown };
  if (mark === "timestamp" && typeof inner === "number") return new Date(inner * 1000);
  if (mark !== undefined) return inner;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainValue(one)]));
}

/** The value of the first of these headers that the route set. Received headers never select an exchange or key. */
export function ownHeader({ headers }: Message, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers.getOwn(name);
    if (value !== undefined && value !== null) return asText(value);
  }
  return undefined;
}

/** Properties and headers of a message to send. `body` is the body before serialization. */
export function propertiesToSend(exchange: Exchange, body: unknown): Options.Publish {
  const { headers } = exchange.message;
  const text = (name: string): string | undefined => {
    const value = headers.getOwn(prefix + name);
    return value === undefined || value === null ? undefined : asText(value);
  };
  const properties = {
    type: text("Type"),
    contentType: text("ContentType") ?? contentTypeOf(body),
    contentEncoding: text("ContentEncoding") ?? (typeof body === "string" ? "UTF-8" : undefined),
    messageId: text("MessageId"),
    correlationId: text("CorrelationId"),
    replyTo: text("ReplyTo"),
    expiration: text("Expiration"),
    userId: text("UserId"),
    appId: text("AppId"),
    priority: priorityOf(text("Priority")),
    timestamp: secondsOf(headers.getOwn(`${prefix}Timestamp`)),
  };
  const given = Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
  const table = headerValuesOf(exchange).map(([name, value]) => [name, tableValue(value)] as const);
  return { ...given, persistent: isPersistent(text("DeliveryMode")), headers: Object.fromEntries(table) };
}

const contentTypeOf = (body: unknown): string =>
  typeof body === "string" ? "text/plain" : body instanceof Uint8Array ? "application/octet-stream" : "application/json";

const isPersistent = (mode: string | undefined): boolean => mode === undefined || !/^(?:1|non_?persistent)$/i.test(mode);

function priorityOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const priority = Number(text);
  if (!Number.isInteger(priority) || priority < 0 || priority > 255)
    throw new FlowError("java.lang.IllegalArgumentException", `The header ${prefix}Priority must be a number from 0 to 255, not '${text}'.`, {
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
