// A message of an aggregate as it is stored: with its properties, which a strategy or a condition may use, and the key of its group.
import { FlowError, type Message } from "@sluice/engine/spi";
import { decodeData, encodeData } from "./stored-data.ts";
import { restoreMessage, storeMessage, type StoredMessage } from "./stored-message.ts";

interface PartEnvelope {
  readonly key: string | null;
  readonly envelope: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

type Properties = ReadonlyMap<string, unknown> | undefined;

/** Throws a FlowError for a message that cannot be stored or is larger than `limit` bytes. */
export function storePart(key: string | undefined, message: Message, properties: Properties, limit: number): StoredMessage {
  const { kind, body, envelope } = storeMessage(message, {}, limit);
  const part: PartEnvelope = { key: key ?? null, envelope, properties: storableProperties(properties, limit) };
  return { kind, body, envelope: encodeData(part, limit * 2) };
}

/** Throws a FlowError for a damaged message. */
export function restorePart({ kind, body, envelope }: StoredMessage): { key: string | undefined; message: Message; properties: Map<string, unknown> } {
  const part = decodeData(envelope) as PartEnvelope;
  const { message } = restoreMessage({ kind, body, envelope: part.envelope });
  return { key: part.key ?? undefined, message, properties: new Map(Object.entries(part.properties)) };
}

/**
 * Omits values that cannot be stored; steps may set a property to any object. A list is the result of a strategy and must be complete, so a list
 * that cannot be stored is an error.
 */
export function storableProperties(properties: Properties, limit: number): Readonly<Record<string, unknown>> {
  const storable: Record<string, unknown> = {};
  for (const [name, value] of properties ?? [])
    try {
      encodeData(value, limit);
      storable[name] = value;
    } catch (error) {
      if (!Array.isArray(value)) continue;
      throw new FlowError(
        "java.lang.IllegalArgumentException",
        `the group cannot be stored: ${(error as Error).message}; use a strategy that collects bodies`,
        { code: "message-not-storable", cause: error },
      );
    }
  return storable;
}
