// The connection to NATS, its errors, and names of subjects.
import { createHash } from "node:crypto";
import type * as JetStream from "@nats-io/jetstream";
import type * as Transport from "@nats-io/transport-node";
import type { StoreLink } from "../persist.ts";

/** Time limit of one attempt. A stream without a leader does not answer. */
export const attemptMs = 2_000;

export interface NatsLink {
  readonly connection: Transport.NatsConnection;
  readonly transport: typeof Transport;
  readonly jetstream: typeof JetStream;
  readonly js: JetStream.JetStreamClient;
  readonly jsm: JetStream.JetStreamManager;
  /** The server's limit for a message; unknown to the client while it is disconnected. */
  readonly maxPayload: number;
  /** Prefix of streams and subjects. */
  readonly name: string;
  /** While the client is disconnected, it would keep messages and send them later: nothing is sent then. */
  isUp: boolean;
  /** How often the connection was restored. */
  reconnects: number;
}

export const storeLink = (link: NatsLink): StoreLink => ({
  isClosed: () => link.connection.isClosed(),
  isConnected: () => link.isUp,
  classify(error) {
    // Servers that have just started are not connected to each other yet.
    if (isUnserved(error) || lacksPeers(error)) return "unserved";
    return isTransient(error) ? "unanswered" : "final";
  },
});

/** Error codes of JetStream. */
export const apiCode = { wrongLastSequence: 10_071, subjectTaken: 10_077 } as const;

export const codeOf = (error: unknown): number | undefined => (isApiError(error) ? error.code : undefined);

const isApiError = (error: unknown): error is JetStream.JetStreamApiError => error instanceof Error && "apiError" in error;

/** The request reached no server that handles it, so it had no effect. */
const isUnserved = (error: unknown): boolean => error instanceof Error && (error.name === "JetStreamNotEnabled" || error.name === "NoRespondersError");

/** Fewer servers are up than a stream needs. */
const lacksPeers = (error: unknown): boolean => isApiError(error) && /insufficient resources|no suitable peers/.test(error.message);

/** As above, or the server is not part of a NATS cluster. */
export const lacksServers = (error: unknown): error is Error => lacksPeers(error) || (isApiError(error) && error.message.includes("replicas"));

function isTransient(error: unknown): boolean {
  if (isApiError(error)) return error.status === 503;
  return error instanceof Error && ["TimeoutError", "RequestError", "ConnectionError", "ClosedConnectionError"].includes(error.name);
}

/** Space for headers below the server's limit. */
const headerBytes = 4_096;

export const payloadLimit = ({ maxPayload }: NatsLink): number => maxPayload - headerBytes;

export const messageIdHeader = "Nats-Msg-Id";

/** Deletes one message of a stream; it may be gone already. */
export async function deleteSequence({ jsm }: NatsLink, stream: string, seq: number): Promise<void> {
  try {
    await jsm.streams.deleteMessage(stream, seq, false);
  } catch (error) {
    if (!/no message found|deleted message/i.test((error as Error).message)) throw error;
  }
}

/** The first message from this sequence on. The client's types have this request for reads from replicas only. */
export const nextOf = (seq: number, subject: string): JetStream.MsgRequest => ({ seq, next_by_subj: subject }) as JetStream.MsgRequest;

const maxTokenLength = 120;

/** Encodes a string as one token of a subject. */
export function tokenOf(text: string): string {
  // Called for every message; most names need no encoding.
  if (text.length <= maxTokenLength && /^[\w-]+$/.test(text)) return text;
  const token = [...Buffer.from(text)].map((byte) => (/[\w-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `=${hex(byte)}`)).join("");
  return token.length > maxTokenLength ? createHash("sha256").update(text).digest("hex") : token;
}

/** The text of a token. A text that was too long for one is unknown: its hash remains. */
export const textOfToken = (token: string): string =>
  Buffer.from(
    token.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    "latin1",
  ).toString();

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, "0");
