// What is sent: address, method, headers and body, from the endpoint and from what the route itself set on the message.
// Headers that came over the wire steer nothing and are not passed on.
import { asText, CompileError, FlowError, type Endpoint, type Exchange } from "@sluice/engine/spi";
import type { HttpOptions } from "./http-shape.ts";

/** Belongs to one connection, or is worked out anew for each call. */
const notForwarded = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export interface Target {
  readonly url: URL;
  /** The flow's author wrote the host. */
  readonly trusted: boolean;
}

export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array> | undefined;

/** Resolves the address once; what is left for each message is the path, query or URI the route may have set. */
export function targetOf(endpoint: Endpoint<HttpOptions>): (exchange: Exchange) => Target {
  const base = baseUrl(endpoint);
  const fixed: Target = { url: base, trusted: endpoint.trusted };
  const { bridgeEndpoint } = endpoint.options;
  return ({ message: { headers } }) => {
    const uri = bridgeEndpoint ? undefined : headers.getOwn("CamelHttpUri");
    const path = headers.getOwn("CamelHttpPath");
    const query = headers.getOwn("CamelHttpQuery");
    if (uri === undefined && path === undefined && query === undefined) return fixed;
    const url = uri === undefined ? new URL(base) : otherUrl(asText(uri));
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
    throw new CompileError("bad-uri", `'${uri}' is no address that can be called`, { hint: "write it as http://host:port/path" });
  }
  for (const name of Object.keys(extra)) url.searchParams.append(name, extra[name] as string);
  return url;
}

function otherUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new FlowError("java.net.URISyntaxException", "CamelHttpUri holds no http or https address", { code: "http-bad-uri" });
}

export function methodOf({ httpMethod }: HttpOptions, { message: { headers, body } }: Exchange): string {
  if (httpMethod !== undefined) return httpMethod;
  const own = headers.getOwn("CamelHttpMethod");
  if (own === undefined || own === null) return body === null || body === undefined ? "GET" : "POST";
  const method = asText(own).toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === "CONNECT")
    throw new FlowError("java.lang.IllegalArgumentException", "CamelHttpMethod holds no method that can be used", { code: "http-bad-method" });
  return method;
}

export function bodyOf({ getWithBody, deleteWithBody }: HttpOptions, method: string, body: unknown): RequestBody {
  if (body === null || body === undefined || method === "HEAD" || (method === "GET" && !getWithBody) || (method === "DELETE" && !deleteWithBody))
    return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (typeof body === "object" && Symbol.asyncIterator in body) return body as AsyncIterable<Uint8Array>;
  return asText(body);
}

/** The headers of a call. `credentials` are those of the endpoint; they win over nothing the route set itself. */
export function headersOf(options: HttpOptions, exchange: Exchange, body: RequestBody, credentials: string | undefined): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  if (!options.skipRequestHeaders) {
    for (const [name, value] of exchange.message.headers.own()) {
      const key = name.toLowerCase();
      if (value === null || value === undefined || key.startsWith("camel") || notForwarded.has(key)) continue;
      headers[key] = Array.isArray(value) ? value.map((one) => headerText(name, one)) : headerText(name, value);
    }
  }
  if (body !== undefined)
    headers["content-type"] ??= headerText("Content-Type", exchange.message.headers.get("Content-Type") ?? contentTypeOf(exchange.message.body));
  else delete headers["content-type"];
  if (credentials !== undefined) headers["authorization"] ??= credentials;
  if (options.userAgent !== undefined) headers["user-agent"] ??= options.userAgent;
  if (options.customHostHeader !== undefined) headers["host"] = options.customHostHeader;
  const { trace } = exchange.run;
  if (trace !== undefined) headers["traceparent"] ??= `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? "01" : "00"}`;
  return headers;
}

function headerText(name: string, value: unknown): string {
  const text = asText(value);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text))
    throw new FlowError(
      "java.lang.IllegalArgumentException",
      `header '${name}' cannot be sent: it holds a line break or a character that headers cannot carry`,
      { code: "http-bad-header" },
    );
  return text;
}

function contentTypeOf(body: unknown): string {
  if (typeof body === "string") return "text/plain; charset=utf-8";
  return body instanceof Uint8Array || (typeof body === "object" && body !== null && Symbol.asyncIterator in body)
    ? "application/octet-stream"
    : "application/json";
}
