// Dead letters as the API shows them: secrets masked, bodies bounded.
import { bodyTypeOf, toPlain } from "@sluice/engine";
import { restoreMessage, type StoredMessage } from "@sluice/connectors";
import { shownHeaders } from "../masking/preview.ts";
import { isSecretHeader } from "../masking/secret-headers.ts";
import { maskUris } from "../masking/secret-uris.ts";
import type { SecretValues } from "../masking/secret-values.ts";
import type { Letter, LetterSummary } from "../store/dead-letter-table.ts";

type Json = Readonly<Record<string, unknown>>;

const longestBody = 256 * 1_024;

export function summaryJson(letter: LetterSummary, secrets: SecretValues): Json {
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
    error: { type: failure.type, message: secrets.scrub(maskUris(failure.message)), stepId: failure.stepId ?? null, routeId: failure.routeId ?? null },
    size: letter.size,
  };
}

export function letterJson(letter: Letter, secrets: SecretValues): Json {
  return {
    ...summaryJson(letter, secrets),
    message: keptJson(letter.message, secrets),
    input: letter.input === undefined ? null : keptJson(letter.input, secrets),
  };
}

/** Of a message that is damaged, the bytes of its body: they may be all that is left of it. */
function keptJson(stored: StoredMessage, secrets: SecretValues): Json {
  try {
    return messageJson(stored, secrets);
  } catch {
    return messageJson({ kind: "bytes", body: stored.body, envelope: "{}" }, secrets);
  }
}

/** A message on disk as people may see it. */
export function messageJson(stored: StoredMessage, secrets: SecretValues): Json {
  const { message, delivery } = restoreMessage(stored);
  const shown = {
    body: toPlain(message.body, longestBody),
    bodyType: bodyTypeOf(message.body),
    size: stored.body.byteLength,
    headers: shownHeaders(message.headers),
    properties: shownHeaders(delivery.properties ?? [], isSecretHeader),
  };
  return JSON.parse(secrets.scrubJson(JSON.stringify(shown))) as Json;
}
