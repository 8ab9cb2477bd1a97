// Access checks for webhook requests: on the head before the body is read and, for signed bodies, on the raw bytes.
import type { Awaitable } from "@sluice/engine/spi";
import type { ErrorReply } from "../service-error.ts";

/** A webhook request before its body is read. */
export interface AccessRequest {
  readonly flowId: string;
  readonly routeId: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names and values alternating, as received: repeated headers stay separate. */
  readonly rawHeaders: readonly string[];
  /** The remote address of the socket; `X-Forwarded-For` is not applied. */
  readonly remoteAddress: string;
}

export interface AccessGranted {
  readonly kind: "granted";
  /** Becomes the exchange property `principal`. */
  readonly principal: unknown;
  /** Lower-case names of headers with the credential, hidden from the route. */
  readonly hide?: readonly string[];
  /** Names of query values with the credential, also hidden. */
  readonly hideQuery?: readonly string[];
  /** Sent with the reply, e.g. for CORS. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
}

export interface AccessDenied extends ErrorReply {
  readonly kind: "denied";
}

/** The policy needs the raw bytes, before decompression. */
export interface AccessNeedsBody {
  readonly kind: "needs-body";
  /** Sent with an error reply before the check, such as for a body that is too large. */
  readonly replyHeaders?: Readonly<Record<string, string>> | undefined;
  check(body: Uint8Array): Awaitable<AccessGranted | AccessDenied>;
}

export interface AccessCheck {
  check(request: AccessRequest): Awaitable<AccessGranted | AccessDenied | AccessNeedsBody>;
  /** Additional headers for the 204 reply to OPTIONS. */
  preflight?(request: AccessRequest): Readonly<Record<string, string>> | undefined;
}
