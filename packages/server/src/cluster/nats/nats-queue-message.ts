// A queued message on JetStream: a JSON head and the body, so that a copy for another attempt needs no decoding.
import type { QueueContent } from "@sluice/engine";
import type { MsgHdrs } from "@nats-io/transport-node";
import { decodeParts, encodeParts } from "../message-parts.ts";
import { payloadLimit, textOfToken, tokenOf, tooLarge, type NatsLink } from "./nats-link.ts";

export const queueStreamOf = ({ name }: NatsLink): string => `${name}_queues`;
export const delayStreamOf = ({ name }: NatsLink): string => `${name}_delays`;
export const attemptStreamOf = ({ name }: NatsLink): string => `${name}_attempts`;

/** Messages without and with a key have different subjects: any node takes the former, and one node orders the latter. */
export const queueSubjectOf = ({ name }: NatsLink, queue: string, isKeyed: boolean): string =>
  `${name}.queue.${queue === "*" ? queue : queueTokenOf(queue)}.${isKeyed ? "keyed" : "any"}`;

/** A cache, because every message needs the token, and names with a slash, such as those of durable webhooks, are slow to encode. */
const tokens = new Map<string, string>();
const maxTokens = 10_000;

function queueTokenOf(queue: string): string {
  const cached = tokens.get(queue);
  if (cached !== undefined) return cached;
  if (tokens.size >= maxTokens) tokens.clear();
  const token = tokenOf(queue);
  tokens.set(queue, token);
  return token;
}

export const queueOfSubject = ({ name }: NatsLink, subject: string): string => textOfToken(subject.slice(`${name}.queue.`.length, subject.lastIndexOf(".")));

export const isKeyedSubject = (subject: string): boolean => subject.endsWith(".keyed");

/** The subject that notifies the node that orders the keys of a queue about a new message. */
export const keyedAnnouncement = (subject: string): string => `${subject}.put`;

/** Completed attempts before this copy of the message was stored. */
export const attemptsHeader = "Sluice-Attempts";

export const attemptsOf = (headers: MsgHdrs | undefined): number => Number(headers?.get(attemptsHeader) ?? "") || 0;

export interface QueuedContent {
  readonly id: string;
  readonly key: string | undefined;
  readonly message: QueueContent;
}

/** A message that was accepted must fit into a dead letter, which may be encrypted. */
const deadLetterOverheadBytes = 128;

interface QueuedHead {
  readonly id: string;
  readonly key?: string;
  readonly kind: string;
  readonly envelope: string;
}

export function encodeQueued(link: NatsLink, { id, key, message: { kind, envelope, body } }: QueuedContent): Uint8Array {
  const data = encodeParts({ id, key, kind, envelope }, body);
  const limit = payloadLimit(link) - deadLetterOverheadBytes;
  if (data.length > limit) throw tooLarge("message", data.length, limit);
  return data;
}

export function decodeQueued(data: Uint8Array): QueuedContent {
  const [{ id, key, kind, envelope }, body] = decodeParts(data) as readonly [QueuedHead, Uint8Array];
  return { id, key, message: { kind, envelope, body } };
}
