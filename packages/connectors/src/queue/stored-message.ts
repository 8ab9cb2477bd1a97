// A message as it lies on disk: its body as bytes of a known kind, and an envelope of JSON with everything else. Headers
// keep the two layers apart they had: what came over the wire must steer no step after a restart either.
import {
  asText,
  FlowError,
  Headers,
  Message,
  textForm,
  type Delivery,
  type Exchange,
  type SessionTag,
  type TraceContext,
  type Trigger,
} from "@sluice/engine/spi";
import { decodeData, encodeData, NotStorable } from "./stored-data.ts";

type BodyKind = "none" | "text" | "bytes" | "data";

export interface StoredMessage {
  readonly kind: BodyKind;
  readonly body: Uint8Array;
  /** JSON: headers of both layers, properties, and what the run was part of. */
  readonly envelope: string;
}

/** What goes along with a message beside the message. */
export interface Company {
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
  readonly wire?: Readonly<Record<string, unknown>>;
  readonly own?: Readonly<Record<string, unknown>>;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly correlationId?: string;
  readonly trace?: TraceContext;
  readonly trigger?: Trigger;
  readonly session?: SessionTag;
}

const headerLimit = 256 * 1024;
const nothing = new Uint8Array(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a message takes on disk, about. */
export const storedSize = ({ body, envelope }: StoredMessage): number => body.byteLength + envelope.length + 64;

/** The company of an exchange that hands its message on. */
export function companyOf({ run, properties }: Exchange): Company {
  return { properties, correlationId: run.correlationId, trace: run.trace, session: run.session };
}

/** Throws a FlowError for a message that cannot be kept: a stream, a foreign object, or more than `limit` bytes. */
export function storeMessage(message: Message, company: Company, limit: number): StoredMessage {
  try {
    const { kind, body } = storedBody(message.body, limit);
    if (body.byteLength > limit) throw new NotStorable(`it is larger than ${limit} bytes`);
    return { kind, body, envelope: envelopeOf(message.headers, company) };
  } catch (error) {
    if (!(error instanceof NotStorable)) throw error;
    throw new FlowError("java.lang.IllegalArgumentException", `the message cannot be kept on disk: ${error.message}`, { code: "message-not-storable" });
  }
}

function storedBody(body: unknown, limit: number): { readonly kind: BodyKind; readonly body: Uint8Array } {
  if (body === null || body === undefined) return { kind: "none", body: nothing };
  if (typeof body === "string") return { kind: "text", body: encoder.encode(body) };
  if (body instanceof Uint8Array) return { kind: "bytes", body };
  if (typeof body === "object" && textForm in body) return { kind: "text", body: encoder.encode(asText(body)) };
  return { kind: "data", body: encoder.encode(encodeData(body, limit)) };
}

function envelopeOf(headers: Headers, company: Company): string {
  const layers = [
    recordOf(wireOf(headers)),
    recordOf(headers.own()),
    company.properties === undefined ? undefined : recordOf(kept(company.properties)),
  ] as const;
  const [wire, own, properties] = layers.map((layer) => layer?.record);
  const envelope = { ...(wire && { wire }), ...(own && { own }), ...(properties && { properties }), ...plainParts(company) };
  // Most headers are texts and numbers, which JSON says as they are.
  return layers.every((layer) => layer?.plain !== false) ? JSON.stringify(envelope) : encodeData(envelope, headerLimit * 4);
}

function plainParts({ correlationId, trace, trigger, session }: Company): Omit<Envelope, "wire" | "own" | "properties"> {
  return {
    ...(correlationId !== undefined && { correlationId }),
    ...(trace !== undefined && { trace }),
    ...(trigger !== undefined && { trigger }),
    ...(session !== undefined && { session: { id: session.id, skipTime: session.skipTime } }),
  };
}

function wireOf(headers: Headers): Iterable<readonly [string, unknown]> {
  const own = new Set<string>();
  for (const [name] of headers.own()) own.add(name);
  return own.size === 0 ? headers : [...headers].filter(([name]) => !own.has(name));
}

/** What Camel's name stands before belongs to the run that is over, not to the next one. */
function* kept(properties: ReadonlyMap<string, unknown>): Iterable<readonly [string, unknown]> {
  for (const entry of properties) if (!entry[0].startsWith("Camel")) yield entry;
}

interface KeptRecord {
  readonly record: Record<string, unknown>;
  /** JSON says all of it without tags. */
  plain: boolean;
}

/** Values that are no data are left out: a header may hold whatever a step put there. */
function recordOf(entries: Iterable<readonly [string, unknown]>): KeptRecord | undefined {
  let found: KeptRecord | undefined;
  let left = headerLimit;
  for (const [name, value] of entries) {
    if (name === "__proto__" || value === undefined) continue;
    let plain = !name.startsWith("$");
    if (typeof value === "string") left -= value.length;
    else if (!isScalar(value)) {
      const text = dataText(value, left);
      if (text === undefined) continue;
      left -= text.length;
      plain = false;
    }
    left -= name.length;
    if (left < 0) throw new NotStorable(`its headers and properties are larger than ${headerLimit} bytes`);
    // A plain object: the same names come over and over, and JSON is faster at those than at a dictionary. `__proto__` was left out above.
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

/** The message as it was, ready to be delivered. Throws a FlowError for one that is damaged: half a message must not pass for a whole one. */
export function restoreMessage(stored: StoredMessage): RestoredMessage {
  try {
    return restored(stored);
  } catch (error) {
    throw new FlowError("java.lang.IllegalStateException", "the message on disk is damaged and cannot be read", { code: "message-damaged", cause: error });
  }
}

function restored({ kind, body, envelope }: StoredMessage): RestoredMessage {
  const { wire, own, properties, session, ...rest } = decodeData(envelope) as Envelope;
  const headers = new Headers(wire === undefined ? undefined : { entries: () => Object.entries(wire) });
  if (own !== undefined) for (const [name, value] of Object.entries(own)) headers.set(name, value);
  const delivery: Delivery = { ...rest, ...(properties && { properties: new Map(Object.entries(properties)) }), ...(session && { session }) };
  return { message: new Message(restoredBody(kind, body), headers), delivery, session };
}

function restoredBody(kind: BodyKind, body: Uint8Array): unknown {
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
      throw new Error(`a body of kind '${String(kind)}' is not known`);
  }
}
