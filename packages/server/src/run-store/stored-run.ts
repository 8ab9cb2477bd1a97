// A run as it is stored: the data that the API shows, with secrets masked before it leaves the process. Input messages are not stored.
import { maskedFacts, type RunFacts } from "../runs/run-facts.ts";
import type { SecretValues } from "../masking/secret-values.ts";

export interface StoredRun {
  readonly id: string;
  readonly startedAt: number;
  readonly flowId: string;
  readonly routeId: string;
  readonly status: string;
  readonly correlationId: string;
  readonly sessionId: string | null;
  /** `RunFacts` as JSON. */
  readonly facts: string;
  /** `StoredMessages` as JSON; null when the run was not captured. */
  readonly messages: string | null;
}

/** Captured messages as the API shows them. */
export interface StoredMessages {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly messagesTruncated: boolean;
}

/** Captured messages of one run that exceed this length are omitted. */
const maxMessagesLength = 4 * 1024 * 1024;

export function storedRun(facts: RunFacts, secrets: SecretValues, captured: StoredMessages | undefined): StoredRun {
  const { id, startedAt, route, status, correlationId, sessionId } = facts;
  return {
    id,
    startedAt,
    flowId: route.flowId,
    routeId: route.id,
    status,
    correlationId,
    sessionId: sessionId ?? null,
    facts: JSON.stringify(maskedFacts(facts, secrets)),
    messages: captured === undefined ? null : messagesText(captured),
  };
}

function messagesText({ messages, messagesTruncated }: StoredMessages): string {
  const kept: string[] = [];
  let length = 0;
  for (const message of messages) {
    const text = JSON.stringify(message);
    if ((length += text.length) > maxMessagesLength) break;
    kept.push(text);
  }
  return `{"messages":[${kept.join(",")}],"messagesTruncated":${messagesTruncated || kept.length < messages.length}}`;
}

export const factsOf = (text: string): RunFacts => JSON.parse(text) as RunFacts;

/** Also masks values that became secret after the run was stored. */
export const messagesOf = (text: string, secrets: SecretValues): StoredMessages => JSON.parse(secrets.records.scrubJson(text)) as StoredMessages;
