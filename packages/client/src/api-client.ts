// Typed calls to the management API: paths, query, body and response come from operations.ts, which is generated. No endpoint is hard-coded here.
import type { ApiError } from "./api-error.ts";
import type { ServerEvent } from "./event-stream.ts";
import type { Operations } from "./operations.ts";
import { createSender, type Reply, type CallOptions, type Sender } from "./sender.ts";

export type OperationName = keyof Operations;
type NamesWith<K extends string> = { [N in OperationName]: Operations[N] extends Readonly<Record<K, unknown>> ? N : never }[OperationName];
/** The operations that respond with an event stream. */
export type StreamName = NamesWith<"events">;
/** The operations that can respond in another media type. */
export type TextName = NamesWith<"replyText">;
export type ReplyOf<N extends OperationName> = Operations[N] extends { readonly reply: infer R } ? R : never;
export type EventOf<N extends StreamName> = N extends StreamName ? EventsOf<Operations[N]["events"]> : never;
type EventsOf<E> = { [K in keyof E & string]: ServerEvent<K, E[K]> }[keyof E & string];

interface AnyInput {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

type BodyInput<O> = O extends { readonly body: infer B }
  ? { readonly body: B } | (O extends { readonly bodyText: infer T } ? { readonly body: string; readonly contentType: T } : never)
  : "body" extends keyof O
    ? Pick<O, "body">
    : unknown;

/** The input of an operation; unknown properties are compile errors. */
export type CallInput<N extends OperationName> = (Operations[N] extends { readonly params: infer P } ? { readonly params: P } : unknown) &
  (Operations[N] extends { readonly query: infer Q } ? { readonly query?: Q } : unknown) &
  (Operations[N] extends { readonly conditional: true }
    ? {
        /** The hash of the version that the change is based on. */
        readonly ifMatch?: string | undefined;
      }
    : unknown) &
  BodyInput<Operations[N]> &
  AnyInput;

export type Arguments<N extends OperationName> = object extends CallInput<N> ? [input?: CallInput<N>] : [input: CallInput<N>];
type AcceptOf<N extends TextName> = { readonly accept: Operations[N]["replyText"] };

export interface ClientOptions {
  /** The runtime's address, such as `http://127.0.0.1:8080`; empty in a page whose own server forwards `/_api` to the runtime. */
  readonly baseUrl: string;
  readonly token?: string;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default timeout of a call; streams have none. */
  readonly timeoutMs?: number;
  /** Replaces the platform's fetch. */
  readonly fetch?: typeof fetch;
  /** Converts an error response to the error to throw. */
  readonly toError?: (error: ApiError) => Error;
}

export interface ApiClient {
  /** Calls an operation, for example `call("PUT /flows/:id", { params: { id }, body: { yaml } })`; throws an ApiError for an error response. */
  call<N extends OperationName>(name: N, ...input: Arguments<N>): Promise<ReplyOf<N>>;
  /** Like `call`, but returns the status and the headers too, such as the `etag`. */
  request<N extends OperationName>(name: N, ...input: Arguments<N>): Promise<Reply<ReplyOf<N>>>;
  /** Like `request`, but returns the body as text in the requested media type. */
  text<N extends TextName>(name: N, input: CallInput<N> & AcceptOf<N>): Promise<Reply<string>>;
  /** Relays a call and returns its response unchanged, error responses included; `path` is below `/_api`. */
  readonly relay: Sender["relay"];
  /** The response of a stream, whose body `events` and `follow` read. */
  open<N extends StreamName>(name: N, ...input: Arguments<N>): Promise<Response>;
}

/** The input of any call, without its types. */
type UntypedInput = CallOptions & { readonly accept?: string; readonly contentType?: string; readonly ifMatch?: string | undefined };

/** The version of the API that operations.ts describes. */
const apiVersion = "1";

export function createClient({ baseUrl, token = "", headers, ...options }: ClientOptions): ApiClient {
  const authorization: Readonly<Record<string, string>> = token === "" ? {} : { authorization: `Bearer ${token}` };
  const sender = createSender({
    ...options,
    root: `${baseUrl.replace(/\/+$/, "")}/_api`,
    headers: { ...authorization, "accept-api-version": apiVersion, ...headers },
  });

  const request = async (name: string, input: UntypedInput = {}): Promise<Reply<unknown>> => sender.send(...splitName(name), toCall(input));

  // The types of a call come from operations.ts; the implementation is untyped.
  return {
    request,
    text: request,
    call: async (name: string, input?: UntypedInput) => (await request(name, input)).body,
    relay: sender.relay,
    open: (name: string, input: UntypedInput = {}) => sender.open(...splitName(name), toCall(input)),
  } as ApiClient;
}

function splitName(name: string): [method: string, path: string] {
  const space = name.indexOf(" ");
  return [name.slice(0, space), name.slice(space + 1)];
}

function toCall({ accept, contentType, ifMatch, headers, ...call }: UntypedInput): CallOptions {
  return {
    ...call,
    headers: {
      ...(accept === undefined ? {} : { accept }),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
      ...(ifMatch === undefined ? {} : { "if-match": `"${ifMatch}"` }),
      ...headers,
    },
  };
}
