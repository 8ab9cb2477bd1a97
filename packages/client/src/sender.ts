// One HTTP call: address, query, headers, body, time limit, and what went wrong as an ApiError. It knows no endpoint.
import { ApiError, readRefusal } from "./api-error.ts";

export interface SenderOptions {
  /** What every path stands behind, such as `http://127.0.0.1:8080/_api`. Without a host it belongs to the page. */
  readonly root: string;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How long a call may take unless it says so itself; streams have no end. */
  readonly timeoutMs?: number | undefined;
  /** Instead of the platform's. */
  readonly fetch?: typeof fetch | undefined;
  /** Makes of a refusal what is to be thrown. */
  readonly refused?: ((error: ApiError) => Error) | undefined;
}

export interface SentCall {
  /** Filled into the `:name` segments of the path. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** Without those that are undefined. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Sender {
  /** The reply to a call: JSON as its value, anything else as text. */
  send(method: string, path: string, call?: SentCall): Promise<Answer<unknown>>;
  /** A reply whose body the caller reads; its time is not limited. */
  open(method: string, path: string, call?: SentCall): Promise<Response>;
  /** The reply as it came, refusals included. */
  relay(method: string, path: string, call?: SentCall): Promise<Answer<string>>;
}

const standardTimeoutMs = 60_000;

export function createSender(options: SenderOptions): Sender {
  const { root, timeoutMs = standardTimeoutMs, fetch: reach = (url, init) => fetch(url, init), refused = (error) => error } = options;

  async function fetched(method: string, path: string, call: SentCall, signal: AbortSignal | undefined): Promise<Response> {
    const { body } = call;
    const isText = typeof body === "string";
    return reach(root + filled(path, call.params) + queryText(call.query), {
      method,
      headers: { ...options.headers, ...(body === undefined || isText ? {} : { "content-type": "application/json" }), ...call.headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** What is thrown instead of a fault on the way; the caller's own abort stays what it is. */
  function faultOf(error: unknown, signal: AbortSignal | undefined, lateAfterMs?: number): Error {
    if (signal?.aborted === true && !(error instanceof ApiError)) return error as Error;
    if (error instanceof ApiError) return refused(error);
    const why = lateAfterMs === undefined ? "does not answer" : `did not answer within ${lateAfterMs} ms`;
    return refused(
      new ApiError(0, `${root === "" || root.startsWith("/") ? "the server" : `the runtime at ${root.replace(/\/_api$/, "")}`} ${why}`, { cause: error }),
    );
  }

  async function within<T>(call: SentCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController();
    const limitMs = call.timeoutMs ?? timeoutMs;
    let isLate = false;
    const stop = (): void => end.abort(call.signal?.reason);
    const timer = setTimeout(() => {
      isLate = true;
      end.abort();
    }, limitMs);
    call.signal?.addEventListener("abort", stop);
    if (call.signal?.aborted === true) stop();
    try {
      return await work(end.signal);
    } catch (error) {
      throw faultOf(error, call.signal, isLate ? limitMs : undefined);
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", stop);
    }
  }

  return {
    send: (method, path, call = {}) =>
      within(call, async (signal) => {
        const reply = await fetched(method, path, call, signal);
        if (!reply.ok) throw await readRefusal(reply);
        return { status: reply.status, headers: reply.headers, body: await valueOf(reply) };
      }),
    relay: (method, path, call = {}) =>
      within(call, async (signal) => {
        const reply = await fetched(method, path, call, signal);
        return { status: reply.status, headers: reply.headers, body: await reply.text() };
      }),
    async open(method, path, call = {}) {
      try {
        const reply = await fetched(method, path, call, call.signal);
        if (!reply.ok) throw await readRefusal(reply);
        return reply;
      } catch (error) {
        throw faultOf(error, call.signal);
      }
    },
  };
}

async function valueOf(reply: Response): Promise<unknown> {
  const text = await reply.text();
  if (!/\bjson\b/.test(reply.headers.get("content-type") ?? "")) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(reply.status, "the reply is no valid JSON", { cause });
  }
}

function filled(path: string, params: SentCall["params"]): string {
  if (params === undefined) return path;
  return path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ""));
}

function queryText(query: SentCall["query"] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}
