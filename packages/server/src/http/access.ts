// Where an access policy meets a webhook request: first on the head, before the body is read, then, if the policy
// signs bodies, on the raw bytes. The policies themselves live elsewhere; no policy means open.
import type { Awaitable } from "@sluice/engine/spi";

/** A webhook request before its body is read. */
export interface AccessRequest {
  readonly flowId: string;
  readonly routeId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names and values in turn, as they came: a header sent twice is seen twice. */
  readonly rawHeaders: readonly string[];
  /** The address of the socket, never what a header claims. */
  readonly remoteAddress: string;
}

export interface AccessGranted {
  readonly kind: "granted";
  /** Becomes the exchange property `principal`. */
  readonly principal: unknown;
  /** Lower-case names of the headers that carried the credential: the route does not see them. */
  readonly hide?: readonly string[];
  /** Names of query values that carried it: the route does not see them either. */
  readonly hideQuery?: readonly string[];
  /** Sent with the reply, e.g. for CORS. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
}

export interface AccessRefused {
  readonly kind: "refused";
  /** 401, 403, 429 or 503. */
  readonly status: number;
  /** The `error` of the reply. */
  readonly error: string;
  /** `WWW-Authenticate`, `Retry-After`, … */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The policy must see the raw bytes, as they came and before any inflating. */
export interface AccessNeedsBody {
  readonly kind: "needs-body";
  /** Sent with a refusal that comes before the check, e.g. of a body that is too large. */
  readonly replyHeaders?: Readonly<Record<string, string>> | undefined;
  check(body: Uint8Array): Awaitable<AccessGranted | AccessRefused>;
}

export interface AccessCheck {
  check(request: AccessRequest): Awaitable<AccessGranted | AccessRefused | AccessNeedsBody>;
  /** More headers for the 204 that answers OPTIONS. */
  preflight?(request: AccessRequest): Readonly<Record<string, string>> | undefined;
}
