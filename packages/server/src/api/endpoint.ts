// An endpoint of the management API as data: routing, checks of what comes in, and the OpenAPI document all read it.
import type { Fields, Values } from "@sluice/model";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import type { ApiStream } from "../http/management.ts";

type Method = "GET" | "PUT" | "POST" | "DELETE";

export interface Endpoint<Q extends Fields = any, B = any> {
  readonly method: Method;
  /** Below `/_api`, with `:name` segments. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Needs no token; only health may say so. */
  readonly open?: true;
  /** Answers also while the runtime drains. Reading endpoints always do. */
  readonly whileDraining?: true;
  readonly query?: Q;
  /** The JSON body. Media types of `rawBody` are handed over unread instead. */
  readonly body?: z.ZodType<B>;
  readonly rawBody?: readonly string[];
  /** Obeys If-Match: a change that was made for another version is refused with 412. */
  readonly conditional?: true;
  readonly replies: Readonly<Record<number, ReplyShape>>;
  handle(call: Call<Q, B>): Promise<Reply> | Reply;
}

export interface ReplyShape {
  readonly description: string;
  readonly schema?: Shape;
  readonly mediaType?: string;
  /** The media types, asked for with Accept, in which the same is answered as text. */
  readonly alsoAs?: readonly string[];
  /** For an event stream: what the data of its events are, by the events' names. */
  readonly events?: Readonly<Record<string, Shape>>;
}

/** What a reply looks like. It is made when the document is asked for, which in most processes never happens. */
export type Shape = () => z.ZodType;

/** One request, checked: what the handler needs and nothing else. */
export interface Call<Q extends Fields = Fields, B = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Values<Q>;
  readonly body: B;
  /** The body's bytes when it came in a raw media type. */
  readonly raw: { readonly mediaType: string; readonly bytes: Buffer } | undefined;
  readonly headers: IncomingHttpHeaders;
  /** True when the caller showed the token; endpoints that are not open see nothing else. */
  readonly trusted: boolean;
  readonly signal: AbortSignal;
}

export type Reply =
  | { readonly status: number; readonly json: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly text: string | Uint8Array; readonly headers: Readonly<Record<string, string>> }
  | { readonly status: number; readonly stream: (stream: ApiStream) => void; readonly headers: Readonly<Record<string, string>> };

/** Declares an endpoint. The function only ties the types together. */
export function defineEndpoint<const Q extends Fields, B = unknown>(endpoint: Endpoint<Q, B>): Endpoint {
  return endpoint as Endpoint;
}

export const ok = (json: unknown, headers?: Readonly<Record<string, string>>): Reply => ({ status: 200, json, ...(headers === undefined ? {} : { headers }) });

/** A reply that is an object of these members; extra members are allowed. */
export function shape(members: () => Readonly<Record<string, z.ZodType>>, name?: string): Shape {
  return name === undefined ? () => z.looseObject(members()) : named(name, () => z.looseObject(members()));
}

/** What the document has once, under this name, and refers to elsewhere. */
export function named(name: string, make: Shape): Shape {
  let made: z.ZodType | undefined;
  return () => (made ??= make().meta({ id: name }));
}

/** A reply that is one of several shapes. */
export function oneOf(...shapes: readonly Shape[]): Shape {
  return () => z.union(shapes.map((one) => one()));
}
