// The connection to NATS, its errors, and names of subjects.
import { createHash } from "node:crypto";
import type * as JetStream from "@nats-io/jetstream";
import type * as Transport from "@nats-io/transport-node";
import { ClusterError } from "@sluice/engine";
import type { StoreLink } from "../retry-operation.ts";
import type { NatsPublisher } from "./nats-publisher.ts";
import type { SendGrouped } from "./send-groups.ts";

/** Time limit of one attempt. A stream without a leader does not respond. */
export const attemptMs = 2_000;

export interface NatsLink {
  readonly connection: Transport.NatsConnection;
  readonly transport: typeof Transport;
  readonly jetstream: typeof JetStream;
  readonly js: JetStream.JetStreamClient;
  readonly jsm: JetStream.JetStreamManager;
  readonly sendGrouped: SendGrouped;
  readonly publisher: NatsPublisher;
  /** The server's limit for a message; unknown to the client while it is disconnected. */
  readonly maxPayload: number;
  /** Prefix of streams and subjects. */
  readonly name: string;
  /** While the client is disconnected, it would buffer messages and send them later, so nothing is sent then. */
  isUp: boolean;
  /** How often the connection was restored. */
  reconnects: number;
}

export const storeLink = (link: NatsLink): StoreLink => ({
  isClosed: () => link.connection.isClosed(),
  isConnected: () => link.isUp,
  classify(error) {
    // Servers that have just started are not connected to each other yet.
    if (isNotExecuted(error) || lacksPeers(error)) return "not-executed";
    return isTransient(error) ? "unknown" : "final";
  },
});

/** Error codes of JetStream. */
export const apiCode = { wrongLastSequence: 10_071 } as const;
const storeFailedCode = 10_077;

export const codeOf = (error: unknown): number | undefined => (isApiError(error) ? error.code : undefined);

const isApiError = (error: unknown): error is JetStream.JetStreamApiError => error instanceof Error && "apiError" in error;

/** True when the stream rejected a message for this reason. All reasons have the same error code. */
export const storeFailed = (error: unknown, reason: string): boolean => isApiError(error) && error.code === storeFailedCode && error.message.includes(reason);

/** The request reached no server that handles it, so it had no effect. */
const isNotExecuted = (error: unknown): boolean => error instanceof Error && ["JetStreamNotEnabled", "NoResponders"].includes(error.name);

/** Fewer servers are up than a stream needs. */
const lacksPeers = (error: unknown): boolean => isApiError(error) && /insufficient resources|no suitable peers/.test(error.message);

/** Like `lacksPeers`, or the server is not part of a NATS cluster. */
export const lacksServers = (error: unknown): error is Error => lacksPeers(error) || (isApiError(error) && error.message.includes("replicas"));

function isTransient(error: unknown): boolean {
  // A full stream also has the status 503.
  if (isApiError(error)) return error.status === 503 && !error.message.includes("exceeded");
  return error instanceof Error && ["TimeoutError", "RequestError", "ConnectionError", "ClosedConnectionError"].includes(error.name);
}

/** Space for headers below the server's limit. */
const headerBytes = 4_096;

export const payloadLimit = ({ maxPayload }: NatsLink): number => maxPayload - headerBytes;

export const tooLarge = (what: "message" | "record", bytes: number, limit: number): ClusterError =>
  new ClusterError(
    "too-large",
    `the ${what} has ${bytes} bytes with its metadata, more than the limit of ${limit} bytes: raise max_payload on the NATS servers`,
  );

export const messageIdHeader = "Nats-Msg-Id";

/** Deletes one message of a stream; it may be gone already, which servers report in three ways. */
export async function deleteSequence({ jsm, sendGrouped }: NatsLink, stream: string, seq: number): Promise<void> {
  try {
    await sendGrouped(() => jsm.streams.deleteMessage(stream, seq, false));
  } catch (error) {
    if (!/no message found|deleted message|sequence \d+ not found/i.test((error as Error).message)) throw error;
  }
}

/** The first message from this sequence on. The client's types allow this request only for reads from replicas. */
export const nextOf = (seq: number, subject: string): JetStream.MsgRequest => ({ seq, next_by_subj: subject }) as JetStream.MsgRequest;

const maxTokenLength = 120;

/** Encodes a string as one token of a subject. */
export function tokenOf(text: string): string {
  if (text.length <= maxTokenLength && /^[\w-]+$/.test(text)) return text;
  const token = [...Buffer.from(text)].map((byte) => (/[\w-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `=${hex(byte)}`)).join("");
  return token.length > maxTokenLength ? createHash("sha256").update(text).digest("hex") : token;
}

/** The text of a token. For a text that was too long, the result is its hash. */
export const textOfToken = (token: string): string =>
  Buffer.from(
    token.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    "latin1",
  ).toString();

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, "0");
