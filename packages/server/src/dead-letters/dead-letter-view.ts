// Dead letters as the API returns them: with masked secrets and truncated bodies.
import { bodyTypeOf } from "@sluice/engine/values";
import { restoreMessage, type StoredMessage } from "@sluice/connectors";
import { plainWithin, shownHeaders } from "../masking/preview.ts";
import { isSecretHeader } from "../masking/secret-headers.ts";
import { maskMembersOf } from "../masking/secret-members.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import { maxFailureLength, type DeadLetter, type DeadLetterSummary } from "../store/dead-letter-table.ts";

type Json = Readonly<Record<string, unknown>>;

const maxBodyLength = 256 * 1_024;

export function summaryJson(letter: DeadLetterSummary, secrets: SecretValues): Json {
  const { failure, replayedAt } = letter;
  return {
    id: letter.id,
    at: new Date(letter.at).toISOString(),
    routeId: letter.routeId,
    flowId: letter.flowId,
    flowHash: letter.flowHash,
    runId: letter.runId ?? null,
    source: letter.source,
    attempts: letter.attempts,
    replayedAt: replayedAt === undefined ? null : new Date(replayedAt).toISOString(),
    error: { type: failure.type, message: failureMessage(failure, secrets), stepId: failure.stepId ?? null, routeId: failure.routeId ?? null },
    size: letter.size,
    ...(letter.node === undefined ? {} : { node: letter.node }),
  };
}

function failureMessage({ message }: DeadLetterSummary["failure"], { records }: SecretValues): string {
  return records.scrub(maskUris(message.length < maxFailureLength ? message : records.scrubEnd(message)));
}

export function deadLetterJson(letter: DeadLetter, secrets: SecretValues): Json {
  return {
    ...summaryJson(letter, secrets),
    message: readableJson(letter.message, secrets),
    input: letter.input === undefined ? null : readableJson(letter.input, secrets),
  };
}

/** The message; if it is damaged, only the raw bytes of its body. */
function readableJson(stored: StoredMessage, secrets: SecretValues): Json {
  try {
    return messageJson(stored, secrets);
  } catch {
    return messageJson({ kind: "bytes", body: stored.body, envelope: "{}" }, secrets);
  }
}

/** A stored message with secrets masked. */
export function messageJson(stored: StoredMessage, secrets: SecretValues): Json {
  const { message, delivery } = restoreMessage(stored);
  const json = {
    body: maskMembersOf(plainWithin(message.body, maxBodyLength, secrets.records)),
    bodyType: bodyTypeOf(message.body),
    size: stored.body.byteLength,
    headers: shownHeaders(message.headers),
    properties: shownHeaders(delivery.properties ?? [], isSecretHeader),
  };
  return JSON.parse(secrets.records.scrubJson(JSON.stringify(json))) as Json;
}
