// A run as it is stored: the data that the API shows, with secrets masked before it leaves the process. The complete input message is stored only if the run was captured.
import { maskMetadata, type RunMetadata } from "../runs/run-metadata.ts";
import type { SecretValues } from "../masking/secret-values.ts";

export interface StoredRun {
  readonly id: string;
  readonly startedAt: number;
  readonly flowId: string;
  readonly routeId: string;
  readonly status: string;
  readonly correlationId: string;
  readonly sessionId: string | null;
  /** `RunMetadata` as JSON. */
  readonly metadata: string;
  /** `StoredMessages` as JSON; null when the run was not captured. */
  readonly messages: string | null;
}

/** Captured messages as the API shows them. */
export interface StoredMessages {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly messagesTruncated: boolean;
}

/** Captured messages of one run beyond this total length are omitted. */
const maxMessagesLength = 4 * 1024 * 1024;

export function storedRun(metadata: RunMetadata, secrets: SecretValues, captured: StoredMessages | undefined): StoredRun {
  const { id, startedAt, route, status, correlationId, sessionId } = metadata;
  return {
    id,
    startedAt,
    flowId: route.flowId,
    routeId: route.id,
    status,
    correlationId,
    sessionId: sessionId ?? null,
    metadata: JSON.stringify(maskMetadata(metadata, secrets)),
    messages: captured === undefined ? null : messagesText(captured),
  };
}

function messagesText({ messages, messagesTruncated }: StoredMessages): string {
  const texts: string[] = [];
  let length = 0;
  for (const message of messages) {
    const text = JSON.stringify(message);
    if ((length += text.length) > maxMessagesLength) break;
    texts.push(text);
  }
  return `{"messages":[${texts.join(",")}],"messagesTruncated":${messagesTruncated || texts.length < messages.length}}`;
}

/** Runs that were stored before their kind was recorded have the kind that their other members imply. */
export function parseMetadata(text: string): RunMetadata {
  const metadata = JSON.parse(text) as RunMetadata & { readonly kind?: RunMetadata["kind"] };
  const { sessionId, replayOf } = metadata;
  return { ...metadata, kind: metadata.kind ?? (sessionId !== undefined ? "test" : replayOf === undefined ? "live" : "replay") };
}

/** Also masks values that became secret after the run was stored. */
export const messagesOf = (text: string, secrets: SecretValues): StoredMessages => JSON.parse(secrets.records.scrubJson(text)) as StoredMessages;
