// Calls of the management API, checked by the compiler against what the runtime declares: paths, query, body and reply come
// from operations.ts, which is generated. Nothing here knows any endpoint.
import { readEvents, type ServerEvent } from "./event-stream.ts";
import type { Operations } from "./operations.ts";

export type OperationName = keyof Operations;
/** The operations that answer with an event stream. */
export type StreamName = { [N in OperationName]: Operations[N]["reply"] extends "event-stream" ? N : never }[OperationName];
export type ReplyOf<N extends OperationName> = Operations[N]["reply"];

/** What a call of an operation needs; members it does not know are faults of the compiler. */
export type CallInput<N extends OperationName> = (Operations[N]["params"] extends never ? unknown : { readonly params: Operations[N]["params"] }) &
  (Operations[N]["query"] extends never ? unknown : { readonly query?: Operations[N]["query"] }) &
  (Operations[N]["body"] extends never ? unknown : { readonly body: Operations[N]["body"] }) & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  };

type Arguments<N extends OperationName> = Record<never, never> extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>];

export interface ClientOptions {
  /** Where the runtime listens, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly token: string;
  /** How long a call may take; streams have no end. */
  readonly timeoutMs?: number;
  /** Instead of the platform's. */
  readonly fetch?: typeof fetch;
}

export interface ApiClient {
  /** Calls an operation, e.g. `call("PUT /flows/:id", { params: { id }, body: { yaml } })`; throws an ApiError when it is refused. */
  call<N extends OperationName>(name: N, ...input: Arguments<N>): Promise<ReplyOf<N>>;
  /** The events of a stream until `signal` is aborted or the runtime ends it. */
  events<N extends StreamName>(name: N, ...input: Arguments<N>): AsyncIterable<ServerEvent>;
}

/** The runtime refused; the message is its `error`. Status 0: it did not answer at all. */
export class ApiError extends Error {
  readonly status: number;
  /** Seconds to wait before trying again, when the runtime says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, options: { readonly retryAfter?: number | undefined; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "ApiError";
    this.status = status;
    this.retryAfter = options.retryAfter;
  }
}

/** What every call may carry, seen without its types. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const standardTimeoutMs = 60_000;
/** The version of the API that operations.ts describes. */
const apiVersion = "1";

export function createClient(options: ClientOptions): ApiClient {
  const { token, timeoutMs = standardTimeoutMs, fetch: send = fetch } = options;
  const root = options.baseUrl.replace(/\/+$/, "");

  async function request(name: string, input: AnyInput, signal: AbortSignal | undefined): Promise<Response> {
    const [method = "GET", path = ""] = name.split(" ");
    const content = input.body === undefined ? {} : { body: typeof input.body === "string" ? input.body : JSON.stringify(input.body) };
    const type: Readonly<Record<string, string>> = input.body === undefined || typeof input.body === "string" ? {} : { "content-type": "application/json" };
    const headers = { authorization: `Bearer ${token}`, "accept-api-version": apiVersion, ...type, ...input.headers };
    let reply: Response;
    try {
      reply = await send(`${root}/_api${filled(path, input.params)}${queryText(input.query)}`, {
        method,
        headers,
        ...content,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      if (input.signal?.aborted === true) throw cause;
      throw new ApiError(0, `the runtime at ${root} does not answer`, { cause });
    }
    if (!reply.ok) throw await refusal(reply);
    return reply;
  }

  return {
    async call(name, ...[input]) {
      const given = (input ?? {}) as AnyInput;
      const end = new AbortController();
      const stop = (): void => end.abort(given.signal?.reason);
      const late = setTimeout(stop, timeoutMs);
      given.signal?.addEventListener("abort", stop);
      if (given.signal?.aborted === true) stop();
      try {
        const reply = await request(name, given, end.signal);
        return (isJson(reply) ? await reply.json() : await reply.text()) as ReplyOf<typeof name>;
      } finally {
        clearTimeout(late);
        given.signal?.removeEventListener("abort", stop);
      }
    },
    async *events(name, ...[input]) {
      const given = (input ?? {}) as AnyInput;
      const reply = await request(name, given, given.signal);
      if (reply.body !== null) yield* readEvents(reply.body, given.signal);
    },
  };
}

const isJson = (reply: Response): boolean => /\bjson\b/.test(reply.headers.get("content-type") ?? "");

function filled(path: string, params: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryText(query: AnyInput["query"] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

async function refusal(reply: Response): Promise<ApiError> {
  const retryAfter = Number(reply.headers.get("retry-after") ?? Number.NaN);
  const text = await reply.text().catch(() => "");
  return new ApiError(reply.status, errorText(text) ?? `the runtime answered ${reply.status}`, {
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
  });
}

function errorText(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
