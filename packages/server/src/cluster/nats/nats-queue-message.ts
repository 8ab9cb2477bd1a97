// A queued message on JetStream: a length, a JSON head and the body, so that a copy for another attempt needs no decoding.
import { ClusterError, type QueueContent } from "@sluice/engine";
import type { MsgHdrs } from "@nats-io/transport-node";
import { payloadLimit, tokenOf, type NatsLink } from "./nats-link.ts";

export const queueStreamOf = ({ name }: NatsLink): string => `${name}_queues`;
export const delayStreamOf = ({ name }: NatsLink): string => `${name}_delays`;
export const attemptStreamOf = ({ name }: NatsLink): string => `${name}_attempts`;

/** Messages without and with a key have different subjects: any node takes the former, one node orders the latter. */
export const queueSubjectOf = ({ name }: NatsLink, queue: string, isKeyed: boolean): string =>
  `${name}.queue.${queue === "*" ? queue : tokenOf(queue)}.${isKeyed ? "keyed" : "any"}`;

export const isKeyedSubject = (subject: string): boolean => subject.endsWith(".keyed");

/** Notifies the node that orders the keys of a queue of a new message. */
export const keyedAnnouncement = (subject: string): string => `${subject}.put`;

/** Completed attempts before this copy of the message was stored. */
export const attemptsHeader = "Sluice-Attempts";

export const attemptsOf = (headers: MsgHdrs | undefined): number => Number(headers?.get(attemptsHeader) ?? "") || 0;

export interface QueuedContent {
  readonly id: string;
  readonly key: string | undefined;
  readonly message: QueueContent;
}

const lengthBytes = 4;
/** A message that was accepted must fit into a dead letter, which may be encrypted. */
const letterBytes = 128;

export function encodeQueued(link: NatsLink, { id, key, message: { kind, envelope, body } }: QueuedContent): Uint8Array {
  const head = Buffer.from(JSON.stringify({ id, key, kind, envelope }));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(head.length);
  const data = Buffer.concat([length, head, body]);
  const limit = payloadLimit(link) - letterBytes;
  if (data.length > limit) throw new ClusterError("too-large", `the message has ${data.length} bytes; the NATS server accepts ${limit} (max_payload)`);
  return data;
}

export function decodeQueued(data: Uint8Array): QueuedContent {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const bodyAt = lengthBytes + bytes.readUInt32BE();
  const { id, key, kind, envelope } = JSON.parse(bytes.toString("utf8", lengthBytes, bodyAt)) as { id: string; key?: string; kind: string; envelope: string };
  return { id, key, message: { kind, envelope, body: new Uint8Array(data.subarray(bodyAt)) } };
}
