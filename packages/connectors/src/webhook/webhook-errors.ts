// The errors with which a webhook rejects a request that its route never processes. Failures of a route have no code in the response.
import type { HttpReply } from "@sluice/engine/spi";
import { errorReply } from "./reply-of-exchange.ts";

/** By code; `meaning` is for the documentation. */
export const webhookErrors = {
  "route-stopped": { status: 503, meaning: "The route is stopped." },
  "media-unsupported": { status: 415, meaning: "The route does not accept the content type of the body." },
  "not-acceptable": { status: 406, meaning: "The route cannot respond with a content type in Accept." },
  "operation-mismatch": { status: 400, meaning: "The request does not match the declared operation: a parameter or the body is missing or not allowed." },
  "loop-detected": { status: 508, meaning: "Too many runs called each other over HTTP." },
  "idempotency-key-invalid": { status: 400, meaning: "The header Idempotency-Key is empty or too long." },
  "idempotency-key-running": { status: 409, meaning: "A request with the same Idempotency-Key is still running." },
  "idempotency-key-reused": { status: 422, meaning: "The Idempotency-Key was used with another request." },
  "message-not-storable": { status: 400, meaning: "A durable webhook cannot store the message." },
  "message-too-large": { status: 413, meaning: "The message exceeds the size limit of the durable store." },
  "queue-full": { status: 503, meaning: "The queue of a durable webhook is full." },
  "store-unavailable": { status: 503, meaning: "The durable store failed." },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;

export const rejection = (code: keyof typeof webhookErrors, text: string, headers: Readonly<Record<string, string>> = {}): HttpReply =>
  errorReply(webhookErrors[code].status, text, { ...headers, "X-Error-Code": code });
