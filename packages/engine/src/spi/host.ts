// The ports of the engine and its plug-ins: every side effect goes through them.
import type { Connections } from "./connection.ts";
import type { Awaitable } from "./processor.ts";
import type { Exchange } from "../exchange/exchange.ts";

export interface Host {
  readonly clock: Clock;
  readonly log: Log;
  readonly ids: Ids;
  readonly http: HttpIngress;
  readonly lookup: Lookup;
  /** Connections to other systems; a host without them rejects endpoints that need one. */
  readonly connections?: Connections;
  /** Kamelets that flows may use by name. */
  readonly kamelets?: KameletFiles;
  /** Text files that flows may use; a host without them rejects `resource:`. */
  readonly resources?: ResourceFiles;
  /** Variables of the whole runtime (`global:name`). */
  readonly globals: Map<string, unknown>;
  /**
   * Minimum time from the start of a timer or scheduler to its first tick, milliseconds; default 0. It gives the host time to persist the
   * flow and the deployer time to open a test session.
   */
  readonly firstTickMs?: number;
  /** Masks secrets in a string for external callers, such as the cause of a failure; absent in a host without secrets. */
  readonly mask?: (text: string) => string;
  /** Computes a digest natively; `algorithm` is Java's name, such as `SHA-256`. Undefined for an algorithm that the host does not support. */
  readonly digest?: (algorithm: string, bytes: Uint8Array) => Uint8Array | undefined;
  /** A number in [0, 1), for load balancing and jitter. */
  random(): number;
  /** An environment variable, or undefined when it is unset or hidden from flows. */
  environment(name: string): string | undefined;
}

export interface KameletFiles {
  /** The current file of a Kamelet; undefined when there is none. */
  find(name: string): KameletFile | undefined;
  /** All names that `find` can resolve. */
  names(): readonly string[];
}

export interface KameletFile {
  /** As shown in messages. */
  readonly file: string;
  readonly text: string;
}

export interface ResourceFiles {
  /**
   * The current text of a file. `name` is written in the flow after `resource:file:` or `resource:classpath:`. Throws a CompileError for a file that
   * is missing, too large, or outside the folders that the operator allows.
   */
  read(location: "file" | "classpath", name: string): ResourceFile;
}

export interface ResourceFile {
  /** As shown in messages. */
  readonly file: string;
  readonly text: string;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that never jumps; for periods, timeouts and durations. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Resolves in the next turn of the event loop, after pending I/O. */
  yieldToEventLoop(): Promise<void>;
}

export type LogLevel = "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR";

export interface Log {
  /** False when records of this level are discarded, so that their text need not be built. */
  enabled(level: LogLevel): boolean;
  write(level: LogLevel, logger: string, text: string, exchange?: Exchange, fields?: Readonly<Record<string, unknown>>): void;
}

export interface Ids {
  /** A new sortable id (ULID), without prefix; pass `now` to save reading the clock. */
  next(now?: number): string;
}

export interface Lookup {
  /**
   * Translates `key` from one column of a value-mapping table to another. Throws a FlowError for a missing key if `onMissing`, or by
   * default the table, requires it.
   */
  find(table: string, from: string, to: string, key: unknown, onMissing?: "error" | "key" | "null" | "default"): unknown;
}

export interface HttpIngress {
  /** Serves a path until the returned function is called. Mounting over an older mount of the same route replaces it atomically. */
  mount(mount: HttpMount): () => void;
}

export interface HttpMount {
  /** Begins with a slash; may contain `{name}` segments. */
  readonly path: string;
  /** Undefined serves every method. */
  readonly methods: readonly string[] | undefined;
  /** Also serves everything below the path. */
  readonly prefix: boolean;
  readonly flowId: string;
  readonly routeId: string;
  /** Headers of the reply to OPTIONS, which does not run the route. */
  readonly preflight?: Readonly<Record<string, string>>;
  handle(request: HttpRequest): Awaitable<HttpReply>;
}

export interface HttpRequest {
  readonly method: string;
  /** The path as decoded and normalized by the listener. */
  readonly path: string;
  /** The raw query without the question mark; empty when there is none. */
  readonly query: string;
  /** By lower-case name; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  /** Values of the `{name}` segments. */
  readonly params: Readonly<Record<string, string>>;
  /** The caller as identified by an access policy. */
  readonly principal: unknown;
  /** Lower-case names of received headers that the route must not see: credentials, or headers that no longer describe the body. */
  readonly hidden?: readonly string[] | undefined;
  /** The test session the caller named, already verified. */
  readonly session: import("../exchange/run.ts").SessionTag | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Set when the run continues after its reply and still holds the request's body: settles when the run ends. */
  readonly runEnds?: Promise<unknown>;
}
