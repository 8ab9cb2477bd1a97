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
  readonly replies: Readonly<Record<number, ReplyShape>>;
  handle(call: Call<Q, B>): Promise<Reply> | Reply;
}

export interface ReplyShape {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly mediaType?: string;
}

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

/** A reply that is an object of these members; the document says so, extra members are allowed. */
export const shape = (members: Readonly<Record<string, z.ZodType>>): z.ZodType => z.looseObject(members);
