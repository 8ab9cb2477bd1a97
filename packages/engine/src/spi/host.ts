// What the engine and its plug-ins are handed instead of reaching for it: every effect comes through these ports.
import type { Awaitable } from "./processor.ts";
import type { Exchange } from "../exchange/exchange.ts";

export interface Host {
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: Ids;
  readonly http: HttpIngress;
  readonly lookup: Lookup;
  /** Variables of the whole runtime (`global:name`). */
  readonly globals: Map<string, unknown>;
  /**
   * The least time from the start of a timer or scheduler to its first tick, milliseconds; 0 when absent. By then the flow is on
   * disk, whoever deployed it was told so and may have opened a test session.
   */
  readonly firstTickMs?: number;
  /** A number in [0, 1), for load balancing and jitter. */
  random(): number;
  /** An environment variable, or undefined when it is unset or must not be seen by flows. */
  environment(name: string): string | undefined;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps; for periods, timeouts and durations. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Resolves in the next turn of the event loop, after I/O had its chance. */
  breathe(): Promise<void>;
}

export type LogLevel = "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR";

export interface Log {
  /** False when nobody would see a record of this level, so that its text need not be made. */
  enabled(level: LogLevel): boolean;
  write(level: LogLevel, logger: string, text: string, exchange?: Exchange, fields?: Readonly<Record<string, unknown>>): void;
}

export interface Ids {
  /** A new sortable id (ULID), without prefix; `now` spares reading the clock when the caller just did. */
  next(now?: number): string;
}

export interface Lookup {
  /**
   * The value of `key` going from one column of a value-mapping table to another; throws a FlowError when the table, or
   * `onMissing` in its place, says so.
   */
  find(table: string, from: string, to: string, key: unknown, onMissing?: "error" | "key" | "null" | "default"): unknown;
}

export interface HttpIngress {
  /** Serves a path until the returned function is called. Mounting over the same route's older mount replaces it in one step. */
  mount(mount: HttpMount): () => void;
}

export interface HttpMount {
  /** Begins with a slash; may hold `{name}` segments. */
  readonly path: string;
  /** Undefined serves every method. */
  readonly methods: readonly string[] | undefined;
  /** Serves everything below the path too. */
  readonly prefix: boolean;
  readonly flowId: string;
  readonly routeId: string;
  handle(request: HttpRequest): Awaitable<HttpReply>;
}

export interface HttpRequest {
  readonly method: string;
  /** The path as decoded and normalised by the listener. */
  readonly path: string;
  /** The raw query without the question mark; empty when there is none. */
  readonly query: string;
  /** By lower-case name; repeated ones joined with a comma. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** Values of the `{name}` segments. */
  readonly params: Readonly<Record<string, string>>;
  /** What an access policy learned about the caller. */
  readonly principal: unknown;
  /** Lower-case names of headers that came but are not for the route: credentials, or what no longer describes the body. */
  readonly hidden?: readonly string[] | undefined;
  /** The test session the caller named, already verified. */
  readonly session: import("../exchange/run.ts").SessionTag | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
}
