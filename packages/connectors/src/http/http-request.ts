// Builds a request from the endpoint and from headers the route set on the message. Headers received from outside have no
// effect and are not forwarded, except Content-Type, which describes the body.
import { CompileError, FlowError, type Endpoint, type Exchange } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { hopsHeader } from "../webhook/http-hops.ts";
import { connectionHeaders } from "../webhook/request-headers.ts";
import type { HttpOptions } from "./http-shape.ts";

/** Hop-by-hop headers, and headers that are computed for each call. */
const notForwarded = new Set([...connectionHeaders, "content-length", "expect", "host"]);

export interface Target {
  readonly url: URL;
  /** The host is written literally in the flow. */
  readonly trusted: boolean;
}

export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array> | undefined;

/** Parses the address once; per message only the path, query or URI set by the route is applied. */
export function targetOf(endpoint: Endpoint<HttpOptions>): (exchange: Exchange) => Target {
  const base = baseUrl(endpoint);
  const fixed: Target = { url: base, trusted: endpoint.trusted };
  const { bridgeEndpoint } = endpoint.options;
  return ({ message: { headers } }) => {
    const uri = bridgeEndpoint ? undefined : headers.getOwn("CamelHttpUri");
    const path = headers.getOwn("CamelHttpPath");
    const query = headers.getOwn("CamelHttpQuery");
    if (uri === undefined && path === undefined && query === undefined) return fixed;
    const url = uri === undefined ? new URL(base) : parseHttpUri(asText(uri));
    if (path !== undefined && asText(path) !== "") {
      url.pathname = `${url.pathname.replace(/\/$/, "")}/${asText(path).replace(/^\//, "")}`;
    }
    if (query !== undefined) url.search = asText(query);
    return { url, trusted: endpoint.trusted && url.origin === base.origin };
  };
}

function baseUrl({ scheme, path, extra, uri }: Endpoint<HttpOptions>): URL {
  let url: URL;
  try {
    url = new URL(`${scheme}://${path.replace(/^\/+/, "")}`);
  } catch {
    throw new CompileError("bad-uri", `'${uri}' is not a valid HTTP address`, { hint: "write it as http://host:port/path" });
  }
  for (const name of Object.keys(extra)) url.searchParams.append(name, extra[name] as string);
  return url;
}

function parseHttpUri(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new FlowError("java.net.URISyntaxException", "header 'CamelHttpUri' must be an http or https URL", { code: "http-bad-uri" });
}

export function methodOf({ httpMethod }: HttpOptions, { message: { headers, body } }: Exchange): string {
  if (httpMethod !== undefined) return httpMethod;
  const routeMethod = headers.getOwn("CamelHttpMethod");
  if (routeMethod === undefined || routeMethod === null) return body === null || body === undefined ? "GET" : "POST";
  const method = asText(routeMethod).toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === "CONNECT")
    throw new FlowError("java.lang.IllegalArgumentException", "header 'CamelHttpMethod' must be an HTTP method other than CONNECT", {
      code: "http-bad-method",
    });
  return method;
}

export function bodyOf({ getWithBody, deleteWithBody }: Pick<HttpOptions, "getWithBody" | "deleteWithBody">, method: string, body: unknown): RequestBody {
  if (body === null || body === undefined || method === "HEAD" || (method === "GET" && !getWithBody) || (method === "DELETE" && !deleteWithBody))
    return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (typeof body === "object" && Symbol.asyncIterator in body) return body as AsyncIterable<Uint8Array>;
  return asText(body);
}

/** The headers of a call. Headers set by the route take precedence over the endpoint's `credentials`. */
export function headersOf(
  options: Pick<HttpOptions, "skipRequestHeaders" | "userAgent" | "customHostHeader">,
  exchange: Exchange,
  body: RequestBody,
  credentials: string | undefined,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  if (!options.skipRequestHeaders) {
    for (const [name, value] of exchange.message.headers.own()) {
      const key = name.toLowerCase();
      if (value === null || value === undefined || key.startsWith("camel") || notForwarded.has(key)) continue;
      headers[key] = Array.isArray(value) ? value.map((item) => headerText(name, item)) : headerText(name, value);
    }
  }
  if (body !== undefined)
    headers["content-type"] ??= headerText("Content-Type", exchange.message.headers.get("Content-Type") ?? contentTypeOf(exchange.message.body));
  else delete headers["content-type"];
  if (credentials !== undefined) headers["authorization"] ??= credentials;
  if (options.userAgent !== undefined) headers["user-agent"] ??= options.userAgent;
  if (options.customHostHeader !== undefined) headers["host"] = options.customHostHeader;
  const { trace } = exchange.run;
  if (trace !== undefined) headers[hopsHeader] = String((trace.httpHops ?? 0) + 1);
  if (trace !== undefined) headers["traceparent"] ??= `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? "01" : "00"}`;
  return headers;
}

function headerText(name: string, value: unknown): string {
  const text = asText(value);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text))
    throw new FlowError("java.lang.IllegalArgumentException", `header '${name}' cannot be sent: it contains a line break or another invalid character`, {
      code: "http-bad-header",
    });
  return text;
}

function contentTypeOf(body: unknown): string {
  if (typeof body === "string") return "text/plain; charset=utf-8";
  return body instanceof Uint8Array || (typeof body === "object" && body !== null && Symbol.asyncIterator in body)
    ? "application/octet-stream"
    : "application/json";
}
