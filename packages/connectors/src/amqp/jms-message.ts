// Converts between AMQP messages and Sluice messages, with the mapping of JMS clients.
import type * as Rhea from "rhea";
import { FlowError, type Exchange, type Message } from "@sluice/engine/spi";
import { asJson, asText, isMap } from "@sluice/engine/values";
import { brokerMessage } from "../messaging/incoming.ts";
import { SourceHeaders } from "../messaging/source-headers.ts";
import { headerText, headerValuesOf } from "../messaging/outgoing.ts";
import type { JmsOptions } from "./jms-options.ts";

const typeAnnotation = "x-opt-jms-msg-type";
const dataSection = 0x75;
const sequenceSection = 0x76;
const typeNames: Readonly<Record<number, string>> = { 0: "Message", 1: "Object", 2: "Map", 3: "Bytes", 4: "Stream", 5: "Text" };

interface Received {
  readonly message: Rhea.Message;
  readonly destination: string;
  readonly body: unknown;
  /** Deliveries before this one. */
  readonly deliveries: number;
}

const sourceHeaders = new SourceHeaders<Received>({
  JMSMessageID: ({ message }) => idText(message.message_id),
  JMSCorrelationID: ({ message }) => idText(message.correlation_id),
  JMSDeliveryMode: ({ message }) => (message.durable === true ? 2 : 1),
  JMSDestination: ({ message, destination }) => message.to ?? destination,
  JMSExpiration: ({ message }) => timeOf(message.absolute_expiry_time) ?? 0,
  JMSPriority: ({ message }) => message.priority ?? 4,
  JMSRedelivered: ({ deliveries }) => deliveries > 0,
  JMSXDeliveryCount: ({ deliveries }) => deliveries + 1,
  JMSTimestamp: ({ message }) => timeOf(message.creation_time) ?? 0,
  JMSReplyTo: ({ message }) => message.reply_to,
  JMSType: ({ message }) => message.subject,
  JMSXGroupID: ({ message }) => message.group_id,
  JMSXUserID: ({ message }) => (message.user_id === undefined ? undefined : idText(message.user_id)),
  CamelJmsMessageType: ({ message, body }) =>
    typeNames[annotatedType(message) ?? -1] ?? (typeof body === "string" ? "Text" : body instanceof Uint8Array ? "Bytes" : "Map"),
});

/** `attempts`: failed attempts in this process, for brokers that do not count them. */
export function receivedMessage(message: Rhea.Message, destination: string, attempts = 0): Message {
  const body = bodyOf(message);
  const deliveries = (message.delivery_count ?? 0) + attempts;
  return brokerMessage(body, wireHeaders(message), sourceHeaders.of({ message, destination, body, deliveries }));
}

function wireHeaders({ application_properties: properties }: Rhea.Message): Readonly<Record<string, unknown>> | undefined {
  const entries = properties === undefined || properties === null ? [] : Object.entries(properties as Record<string, unknown>);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([name, value]) => [decodeName(name), plainValue(value)]));
}

function bodyOf(message: Rhea.Message): unknown {
  const body: unknown = message.body;
  if (body === undefined || body === null) return null;
  // Message data contains no functions, so an object with this function is a section object of the client library, not a map.
  const { content, typecode } = hasFunction(body, "described") ? (body as { readonly content?: unknown; readonly typecode?: number }) : {};
  if (typecode === sequenceSection) return plainValue(content);
  const bytes = typecode === dataSection ? Buffer.concat([content].flat() as Uint8Array[]) : body instanceof Uint8Array ? body : undefined;
  if (bytes === undefined) return plainValue(body);
  const isText = annotatedType(message) === 5 || /^text\//i.test(message.content_type ?? "");
  return isText ? new TextDecoder().decode(bytes) : new Uint8Array(bytes);
}

const annotatedType = (message: Rhea.Message): number | undefined => {
  const value = plainValue(message.message_annotations?.[typeAnnotation]);
  return typeof value === "number" ? value : undefined;
};

const hasFunction = (value: unknown, name: string): boolean => typeof (value as Readonly<Record<string, unknown>>)[name] === "function";

/** The client wraps some values in an object with their AMQP type. */
function plainValue(value: unknown): unknown {
  if (value instanceof Date || value instanceof Uint8Array || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (hasFunction(value, "toRheaTyped")) return plainValue((value as { readonly value: unknown }).value);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainValue(item)]));
}

function idText(id: unknown): string | undefined {
  if (id === undefined || id === null) return undefined;
  return id instanceof Uint8Array ? new TextDecoder().decode(id) : String(plainValue(id));
}

function timeOf(value: unknown): number | undefined {
  if (value instanceof Date) return value.getTime();
  return typeof value === "number" ? value : undefined;
}

const encodeName = (name: string): string => name.replaceAll(".", "_DOT_").replaceAll("-", "_HYPHEN_");
const decodeName = (name: string): string => name.replaceAll("_DOT_", ".").replaceAll("_HYPHEN_", "-");

export interface SendParts {
  readonly rhea: typeof Rhea;
  readonly id: string;
  readonly now: number;
}

/** The message to send, without a reply address or a generated correlation id. */
export function messageToSend(exchange: Exchange, options: JmsOptions, { rhea, id, now }: SendParts): Rhea.Message {
  const { message } = exchange;
  const headerOf = (name: string): unknown => message.headers.getOwn(name) ?? undefined;
  const preservesQos = options.preserveMessageQos;
  const expiry = preservesQos ? headerOf("JMSExpiration") : undefined;
  const ttl = typeof expiry === "number" && expiry > 0 ? Math.max(expiry - now, 1) : options.timeToLive;
  const [group, type, correlation] = [headerOf("JMSXGroupID"), headerOf("JMSType"), headerOf("JMSCorrelationID")];
  const { body, contentType, type: bodyType } = bodyToSend(message.body, options, rhea);
  // JMS clients expect a byte.
  const annotations: Record<string, unknown> = { [typeAnnotation]: rhea.types.wrap_byte(bodyType) };
  if (options.deliveryDelay > 0) annotations["x-opt-delivery-delay"] = options.deliveryDelay;
  // The client copies every field of a message several times, so those without a value are omitted.
  const outgoing: Rhea.Message = {
    body,
    message_id: id,
    creation_time: now as unknown as Date,
    durable:
      preservesQos && headerOf("JMSDeliveryMode") !== undefined
        ? String(headerOf("JMSDeliveryMode")) !== "1"
        : (options.deliveryMode ?? (options.deliveryPersistent ? 2 : 1)) === 2,
    priority: preservesQos && typeof headerOf("JMSPriority") === "number" ? (headerOf("JMSPriority") as number) : options.priority,
    application_properties: propertiesToSend(exchange, options),
    message_annotations: annotations,
  };
  if (contentType !== undefined) outgoing.content_type = contentType;
  if (ttl > 0) {
    outgoing.ttl = ttl;
    outgoing.absolute_expiry_time = (now + ttl) as unknown as Date;
  }
  if (group !== undefined) outgoing.group_id = asText(group);
  if (type !== undefined) outgoing.subject = asText(type);
  if (correlation !== undefined) outgoing.correlation_id = asText(correlation);
  return outgoing;
}

function propertiesToSend(exchange: Exchange, { jmsKeyFormatStrategy }: JmsOptions): Readonly<Record<string, unknown>> {
  const properties: Record<string, unknown> = {};
  for (const [name, value] of headerValuesOf(exchange, (key) => key.startsWith("jms")))
    properties[jmsKeyFormatStrategy === "passthrough" ? name : encodeName(name)] =
      typeof value === "boolean" || typeof value === "number" ? value : value instanceof Date ? value.toISOString() : headerText(value);
  return properties;
}

interface Section {
  readonly type: number;
  readonly body: unknown;
  readonly contentType?: string;
}

function bodyToSend(body: unknown, { jmsMessageType, allowNullBody }: JmsOptions, rhea: typeof Rhea): Section {
  if (body === null || body === undefined) {
    if (allowNullBody) return { type: 0, body: undefined };
    throw new FlowError("org.apache.camel.InvalidPayloadException", "the message has no body: set one, or use allowNullBody=true", { code: "jms-no-body" });
  }
  const isFlat =
    isMap(body) &&
    !(body instanceof Map) &&
    Object.values(body as object).every((value) => value === null || typeof value !== "object" || value instanceof Uint8Array);
  const type = jmsMessageType ?? (typeof body === "string" ? "Text" : body instanceof Uint8Array ? "Bytes" : isFlat ? "Map" : "Text");
  if (type === "Bytes") return { type: 3, body: rhea.message.data_section(bytesOf(body)), contentType: "application/octet-stream" };
  if (type === "Map" && isFlat) return { type: 2, body };
  if (type === "Text") return { type: 5, body: body instanceof Uint8Array ? new TextDecoder().decode(body) : typeof body === "string" ? body : asJson(body) };
  throw new FlowError(
    "org.springframework.jms.UncategorizedJmsException",
    `cannot send the body as a message of type ${type}: use Text, Bytes, or Map with plain values`,
    {
      code: "jms-bad-body",
    },
  );
}

const bytesOf = (body: unknown): Buffer =>
  body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : Buffer.from(typeof body === "string" ? body : asJson(body));
