// An endpoint of the management API as data, used by routing, validation and the OpenAPI document.
import type { Fields, Values } from "@sluice/model";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { OwnedItem } from "../other-nodes/node-queries.ts";
import type { ApiStream } from "../http/management.ts";
import type { ChangeOfExisting, Precondition } from "../precondition.ts";
import type { ServiceErrorCode } from "../service-error.ts";
import type { TagName } from "./tags.ts";

type Method = "GET" | "PUT" | "POST" | "DELETE";

export interface Endpoint<Q extends Fields = any, B = any> {
  readonly method: Method;
  /** Below `/_api`, with `:name` segments. */
  readonly path: string;
  readonly tag: TagName;
  /** One short sentence without a full stop. */
  readonly summary: string;
  /** What a caller needs to know beyond the summary. */
  readonly description: string;
  /** Needs no token; only for health. */
  readonly open?: true;
  /** Also served while the runtime drains. GET endpoints always are. */
  readonly whileDraining?: true;
  readonly query?: Q;
  /** The JSON body. Bodies with a media type in `rawBody` are passed on unparsed. */
  readonly body?: z.ZodType<B>;
  /** A JSON body that the runtime accepts, for the documentation. */
  readonly example?: unknown;
  readonly rawBody?: readonly string[];
  /** In a cluster, the node that has this item executes the call; if undefined, the node that received the call. */
  owned?(call: Call<Q, B>): OwnedItem | undefined;
  /** In a cluster, all nodes execute the call, and this combines the JSON of their replies. */
  combine?(own: Json, others: readonly Json[]): Json;
  /** In a cluster, other nodes may forward this call. Implied by `owned` and `combine`. */
  readonly forwarded?: true;
  /** Supports If-Match and If-None-Match: a change that does not meet the precondition is rejected with 412. */
  readonly conditional?: ChangeOfExisting;
  /** Replies contain the hash of the item as ETag. A GET with this ETag in If-None-Match gets 304. */
  readonly tagged?: true;
  /** The errors that the handler throws, in addition to those that follow from the other members (`error-responses.ts`). */
  readonly errors: readonly ServiceErrorCode[];
  readonly replies: Readonly<Record<number, ReplyShape>>;
  handle(call: Call<Q, B>): Promise<Reply> | Reply;
}

export type Json = Readonly<Record<string, unknown>>;

export interface ReplyShape {
  readonly description: string;
  readonly schema?: Shape;
  readonly mediaType?: string;
  /** Other media types, selected by Accept, for the same content as text. */
  readonly alsoAs?: readonly string[];
  /** A reply, for the documentation. */
  readonly example?: unknown;
  /** For an event stream: the schemas of its events by name. */
  readonly events?: Readonly<Record<string, Shape>>;
}

/** Creates a schema on demand, because most processes never serve the OpenAPI document. */
export type Shape = () => z.ZodType;

/** A validated request. */
export interface Call<Q extends Fields = Fields, B = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Values<Q>;
  readonly body: B;
  /** The bytes of a body with a raw media type. */
  readonly raw: { readonly mediaType: string; readonly bytes: Buffer } | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Empty unless the endpoint is conditional. */
  readonly precondition: Precondition;
  /** True when the caller sent the valid token; always true except for open endpoints. */
  readonly trusted: boolean;
  readonly signal: AbortSignal;
}

export type Reply =
  | { readonly status: number; readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly text: string | Uint8Array; readonly headers: Readonly<Record<string, string>> }
  | { readonly status: number; readonly stream: (stream: ApiStream) => void; readonly headers: Readonly<Record<string, string>> };

/** Declares an endpoint; the function only infers types. */
export function defineEndpoint<const Q extends Fields, B = unknown>(endpoint: Endpoint<Q, B>): Endpoint {
  return endpoint as Endpoint;
}

/** Whether a request without a body is accepted. Not `schema.isOptional()`, which is also true for a schema of any value. */
export const isBodyOptional = ({ body }: Endpoint): boolean => body instanceof z.ZodOptional;

export const ok = (json: unknown, headers?: Readonly<Record<string, string>>): Reply => ({ status: 200, json, ...(headers === undefined ? {} : { headers }) });

/** An object schema with these members; additional ones are allowed. */
export function shape(members: () => Readonly<Record<string, z.ZodType>>, name?: string): Shape {
  return name === undefined ? () => z.looseObject(members()) : named(name, () => z.looseObject(members()));
}

/** A schema that the OpenAPI document defines once under this name. */
export function named(name: string, create: Shape): Shape {
  let schema: z.ZodType | undefined;
  return () => (schema ??= create().meta({ id: name }));
}

/** A union of schemas. */
export function oneOf(...shapes: readonly Shape[]): Shape {
  return () => z.union(shapes.map((create) => create()));
}
