// What the listener hands to the management API. Nothing of the body is read before `readBody` is called, so that
// the handler can decide on token, path and method first.
import type { IncomingHttpHeaders } from "node:http";
import type { Awaitable } from "@sluice/engine/spi";

export interface ApiRequest {
  readonly method: string;
  /**
   * The path below `/_api`, cut at its slashes, each part decoded once: `/_api/flows/a%20b` is `["flows", "a b"]`, `/_api` is `[]`.
   * A part may hold anything, slashes and NUL included: check ids. Undefined when the path leads under `/_api` in any
   * other spelling (`/_API/x`, `/%5fapi/x`, `/x/../_api`): there is nothing there, for nobody.
   */
  readonly segments: readonly string[] | undefined;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Every Authorization header of the request; Node keeps only the first in `headers`. */
  readonly authorization: readonly string[];
  readonly remoteAddress: string;
  /** Aborted when the client goes away before the reply is complete. */
  readonly signal: AbortSignal;
  /** The body, inflated; rejects with an HttpError 413, 415 or 400. The listener's limit holds unless a smaller one is given. */
  readBody(limitBytes?: number): Promise<Buffer>;
}

/** The one reply to a request; a second one is ignored. Every reply carries `X-Api-Version`. HEAD gets the headers only. */
export interface ApiResponder {
  readonly sent: boolean;
  send(status: number, body: string | Uint8Array | undefined, headers?: Readonly<Record<string, string>>): void;
  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void;
  error(status: number, text: string, headers?: Readonly<Record<string, string>>): void;
  /** Sends the head at once and leaves the body open, as event streams need it. */
  stream(status: number, headers: Readonly<Record<string, string>>): ApiStream;
}

export interface ApiStream {
  readonly open: boolean;
  /** Bytes accepted by `write` that the client has not taken yet. */
  readonly buffered: number;
  /** False when the client is behind: write more after `onDrain`. */
  write(chunk: string | Uint8Array): boolean;
  onDrain(listener: () => void): void;
  /** Called once, whoever ended it. */
  onClose(listener: () => void): void;
  end(): void;
  /** Cuts the connection; for clients that stopped reading. */
  destroy(): void;
}

/** Answers every request that leads under `/_api`. What it throws is answered too: an HttpError as itself, anything else as 500. */
export type ManagementHandler = (request: ApiRequest, respond: ApiResponder) => Awaitable<void>;
