// One HTTP call: address, query, headers, body, timeout, and errors as ApiError. Independent of the endpoints.
import { ApiError, readApiError } from "./api-error.ts";

export interface SenderOptions {
  /** Prefix of every path, such as `http://127.0.0.1:8080/_api`. Without a host it is relative to the page. */
  readonly root: string;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default timeout of a call; streams have none. */
  readonly timeoutMs?: number | undefined;
  /** Replaces the platform's fetch. */
  readonly fetch?: typeof fetch | undefined;
  /** Converts an error response to the error to throw. */
  readonly toError?: ((error: ApiError) => Error) | undefined;
}

/** The parts of a call besides its method and path. */
export interface CallOptions {
  /** Values of the `:name` segments of the path. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** Undefined members are omitted; lists are comma-separated. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>> | undefined;
  /** Text is sent unchanged, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The status, headers and body of a response. */
export interface Reply<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Sender {
  /** The response to a call: JSON as its value, anything else as text. */
  send(method: string, path: string, call?: CallOptions): Promise<Reply<unknown>>;
  /** A response whose body the caller reads; it has no timeout. */
  open(method: string, path: string, call?: CallOptions): Promise<Response>;
  /** The response unchanged, error responses included. */
  relay(method: string, path: string, call?: CallOptions): Promise<Reply<string>>;
}

const defaultTimeoutMs = 60_000;

export function createSender(options: SenderOptions): Sender {
  const { root, timeoutMs = defaultTimeoutMs, fetch: send = (url, init) => fetch(url, init), toError = (error) => error } = options;

  async function request(method: string, path: string, call: CallOptions, signal: AbortSignal | undefined): Promise<Response> {
    const { body } = call;
    const isText = typeof body === "string";
    return send(root + fillPath(path, call.params) + queryText(call.query), {
      method,
      headers: { ...options.headers, ...(body === undefined || isText ? {} : { "content-type": "application/json" }), ...call.headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** The error to throw for a network failure; the caller's own abort is passed through. */
  function errorOf(error: unknown, signal: AbortSignal | undefined, timedOutAfterMs?: number): Error {
    if (signal?.aborted === true && !(error instanceof ApiError)) return error as Error;
    if (error instanceof ApiError) return toError(error);
    const problem = timedOutAfterMs === undefined ? "does not respond" : `did not respond within ${timedOutAfterMs} ms`;
    return toError(
      new ApiError(0, `${root === "" || root.startsWith("/") ? "the server" : `the runtime at ${root.replace(/\/_api$/, "")}`} ${problem}`, { cause: error }),
    );
  }

  async function withTimeout<T>(call: CallOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController();
    const limitMs = call.timeoutMs ?? timeoutMs;
    let hasTimedOut = false;
    const stop = (): void => end.abort(call.signal?.reason);
    const timer = setTimeout(() => {
      hasTimedOut = true;
      end.abort();
    }, limitMs);
    call.signal?.addEventListener("abort", stop);
    if (call.signal?.aborted === true) stop();
    try {
      return await work(end.signal);
    } catch (error) {
      throw errorOf(error, call.signal, hasTimedOut ? limitMs : undefined);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
  }

  return {
    send: (method, path, call = {}) =>
      withTimeout(call, async (signal) => {
        const response = await request(method, path, call, signal);
        if (!response.ok) throw await readApiError(response);
        return { status: response.status, headers: response.headers, body: await valueOf(response) };
      }),
    relay: (method, path, call = {}) =>
      withTimeout(call, async (signal) => {
        const response = await request(method, path, call, signal);
        return { status: response.status, headers: response.headers, body: await response.text() };
      }),
    async open(method, path, call = {}) {
      try {
        const response = await request(method, path, call, call.signal);
        if (!response.ok) throw await readApiError(response);
        return response;
      } catch (error) {
        throw errorOf(error, call.signal);
      }
    },
  };
}

async function valueOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!/\bjson\b/.test(response.headers.get("content-type") ?? "")) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(response.status, "the response of the runtime is not valid JSON", { cause });
  }
}

function fillPath(path: string, params: CallOptions["params"]): string {
  if (params === undefined) return path;
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryText(query: CallOptions["query"] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}
