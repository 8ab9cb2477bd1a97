// The interface between the listener and the management API. The body is not read before `readBody` is called, so that the handler can
// check token, path and method first.
import type { IncomingHttpHeaders } from "node:http";
import type { Awaitable } from "@sluice/engine/spi";
import type { ErrorReply } from "../service-error.ts";

export interface ApiRequest {
  readonly method: string;
  /**
   * The path below `/_api`, split at slashes and decoded once: `/_api/flows/a%20b` is `["flows", "a b"]`, `/_api` is `[]`. A segment may
   * contain anything, including slashes and NUL: validate ids. Undefined for other spellings of `/_api` (`/_API/x`, `/%5fapi/x`,
   * `/x/../_api`), which are never served.
   */
  readonly segments: readonly string[] | undefined;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** All Authorization headers; node keeps only the first one in `headers`. */
  readonly authorization: readonly string[];
  readonly remoteAddress: string;
  /** Aborted when the client disconnects before the reply is complete. */
  readonly signal: AbortSignal;
  /** The decompressed body; rejects with a ServiceError. The listener's limit applies unless a smaller one is passed. */
  readBody(limitBytes?: number): Promise<Buffer>;
}

/** Sends the one reply to a request; further replies are ignored. Every reply has `X-Api-Version`. HEAD gets only headers. */
export interface ApiResponder {
  readonly sent: boolean;
  send(status: number, body: string | Uint8Array | undefined, headers?: Readonly<Record<string, string>>): void;
  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void;
  error(error: ErrorReply): void;
  /** Sends the head immediately and leaves the body open, for event streams. */
  stream(status: number, headers: Readonly<Record<string, string>>): ApiStream;
}

export interface ApiStream {
  readonly open: boolean;
  /** Bytes written but not yet accepted by the client. */
  readonly buffered: number;
  /** False when the client is slow: continue after `onDrain`. */
  write(chunk: string | Uint8Array): boolean;
  onDrain(listener: () => void): void;
  /** Called once, whichever side closed the stream. */
  onClose(listener: () => void): void;
  end(): void;
  /** Closes the connection; for clients that stopped reading. */
  destroy(): void;
}

/** Handles all requests under `/_api`. A thrown ServiceError is sent as is, anything else as 500. */
export type ManagementHandler = (request: ApiRequest, respond: ApiResponder) => Awaitable<void>;
