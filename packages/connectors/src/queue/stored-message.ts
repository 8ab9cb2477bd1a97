// A message on disk: its body as bytes of a known kind, and a JSON envelope with the rest. Headers received from outside stay
// separate from those set by the route, because they must not control steps after a restart either.
import { FlowError, Headers, Message, type Delivery, type Exchange, type SessionTag, type TraceContext, type Trigger } from "@sluice/engine/spi";
import { asText, textForm } from "@sluice/engine/values";
import { decodeData, encodeData, NotStorable } from "./stored-data.ts";

type BodyKind = "none" | "text" | "bytes" | "data";

export interface StoredMessage {
  readonly kind: BodyKind;
  readonly body: Uint8Array;
  /** JSON: headers of both layers, properties, and the context of the run. */
  readonly envelope: string;
}

/** The context that is stored with a message. */
export interface StoredContext {
  readonly properties?: ReadonlyMap<string, unknown> | undefined;
  readonly correlationId?: string | undefined;
  readonly trace?: TraceContext | undefined;
  readonly trigger?: Trigger | undefined;
  readonly session?: SessionTag | undefined;
}

export interface RestoredMessage {
  readonly message: Message;
  readonly delivery: Delivery;
  readonly session: SessionTag | undefined;
}

interface Envelope {
  /** Headers received from outside. */
  readonly wire?: Readonly<Record<string, unknown>>;
  /** Headers set by the route. */
  readonly own?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly correlationId?: string;
  readonly trace?: TraceContext;
  readonly trigger?: Trigger;
  readonly session?: SessionTag;
}

const headerLimit = 256 * 1024;
const noBytes = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Approximate size on disk. */
export const storedSize = ({ body, envelope }: StoredMessage): number => body.byteLength + envelope.length + 64;

/** The context of an exchange whose message is stored. */
export function contextOf({ run, properties }: Exchange): StoredContext {
  return { properties, correlationId: run.chainId, trace: run.trace, session: run.session };
}

/** Throws a FlowError for a message that cannot be stored: a stream, an unknown object, or more than `limit` bytes. */
export function storeMessage(message: Message, context: StoredContext, limit: number): StoredMessage {
  try {
    const { kind, body } = encodeBody(message.body, limit);
    if (body.byteLength > limit) throw new NotStorable(`it is larger than ${limit} bytes`);
    return { kind, body, envelope: envelopeOf(message.headers, context) };
  } catch (error) {
    if (!(error instanceof NotStorable)) throw error;
    throw new FlowError("java.lang.IllegalArgumentException", `the message cannot be stored on disk: ${error.message}`, { code: "message-not-storable" });
  }
}

function encodeBody(body: unknown, limit: number): { readonly kind: BodyKind; readonly body: Uint8Array } {
  if (body === null || body === undefined) return { kind: "none", body: noBytes };
  if (typeof body === "string") return { kind: "text", body: encoder.encode(body) };
  if (body instanceof Uint8Array) return { kind: "bytes", body };
  if (typeof body === "object" && textForm in body) return { kind: "text", body: encoder.encode(asText(body)) };
  return { kind: "data", body: encoder.encode(encodeData(body, limit)) };
}

function envelopeOf(headers: Headers, context: StoredContext): string {
  const layers = [
    recordOf(wireOf(headers)),
    recordOf(headers.own()),
    context.properties === undefined ? undefined : recordOf(withoutCamelProperties(context.properties)),
  ] as const;
  const [wire, own, properties] = layers.map((layer) => layer?.record);
  const envelope = { ...(wire && { wire }), ...(own && { own }), ...(properties && { properties }), ...plainParts(context) };
  // Fast path: most headers are strings and numbers, which need no tags.
  return layers.every((layer) => layer?.plain !== false) ? JSON.stringify(envelope) : encodeData(envelope, headerLimit * 4);
}

function plainParts({ correlationId, trace, trigger, session }: StoredContext): Omit<Envelope, "wire" | "own" | "properties"> {
  return {
    ...(correlationId !== undefined && { correlationId }),
    ...(trace !== undefined && { trace }),
    ...(trigger !== undefined && { trigger }),
    ...(session !== undefined && { session: { id: session.id, skipTime: session.skipTime } }),
  };
}

function wireOf(headers: Headers): Iterable<readonly [string, unknown]> {
  const routeNames = new Set<string>();
  for (const [name] of headers.own()) routeNames.add(name);
  return routeNames.size === 0 ? headers : [...headers].filter(([name]) => !routeNames.has(name));
}

/** Properties with a Camel prefix belong to the finished run, not to the next one. */
function* withoutCamelProperties(properties: ReadonlyMap<string, unknown>): Iterable<readonly [string, unknown]> {
  for (const entry of properties) if (!entry[0].startsWith("Camel")) yield entry;
}

interface DataRecord {
  readonly record: Record<string, unknown>;
  /** True when JSON represents the value without tags. */
  plain: boolean;
}

/** Omits values that are not data: a step may set a header to any object. */
function recordOf(entries: Iterable<readonly [string, unknown]>): DataRecord | undefined {
  let found: DataRecord | undefined;
  let remaining = headerLimit;
  for (const [name, value] of entries) {
    if (name === "__proto__" || value === undefined) continue;
    let plain = !name.startsWith("$");
    if (typeof value === "string") remaining -= value.length;
    else if (!isScalar(value)) {
      const text = dataText(value, remaining);
      if (text === undefined) continue;
      remaining -= text.length;
      plain = false;
    }
    remaining -= name.length;
    if (remaining < 0) throw new NotStorable(`its headers and properties are larger than ${headerLimit} bytes`);
    // A plain object: names repeat between messages, and JSON.stringify is faster with a stable shape. `__proto__` was omitted above.
    found ??= { record: {}, plain: true };
    found.record[name] = value;
    if (!plain) found.plain = false;
  }
  return found;
}

const isScalar = (value: unknown): boolean => value === null || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));

function dataText(value: unknown, limit: number): string | undefined {
  try {
    return encodeData(value, limit);
  } catch (error) {
    if (error instanceof NotStorable && !error.message.includes("larger")) return undefined;
    throw error;
  }
}

/** Restores a message for delivery. Throws a FlowError for a damaged one, which must not be delivered in part. */
export function restoreMessage(stored: StoredMessage): RestoredMessage {
  try {
    return parseStored(stored);
  } catch (error) {
    throw new FlowError("java.lang.IllegalStateException", "the message on disk is damaged and cannot be read", { code: "message-damaged", cause: error });
  }
}

function parseStored({ kind, body, envelope }: StoredMessage): RestoredMessage {
  const { wire, own, properties, session, ...rest } = decodeData(envelope) as Envelope;
  const headers = new Headers(wire === undefined ? undefined : { entries: () => Object.entries(wire) });
  if (own !== undefined) for (const [name, value] of Object.entries(own)) headers.set(name, value);
  const delivery: Delivery = { ...rest, ...(properties && { properties: new Map(Object.entries(properties)) }), ...(session && { session }) };
  return { message: new Message(restoreBody(kind, body), headers), delivery, session };
}

function restoreBody(kind: BodyKind, body: Uint8Array): unknown {
  switch (kind) {
    case "none":
      return null;
    case "text":
      return decoder.decode(body);
    case "bytes":
      return body;
    case "data":
      return decodeData(decoder.decode(body));
    default:
      throw new Error(`unknown body kind '${String(kind)}'`);
  }
}
