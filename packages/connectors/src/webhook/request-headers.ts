// Request headers, query and path values as message headers. All are marked as received from outside: a route can read them, but
// they control no step and are not sent back to the caller. Headers named `Camel…` are dropped.
import { undetermined, type HttpRequest, type WireHeaders } from "@sluice/engine/spi";

/** Hop-by-hop headers. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers whose values may differ for the route: some are removed, and two no longer apply to a decompressed body. */
const undeterminedHeaders = new Set([...connectionHeaders, "content-encoding", "content-length"]);
/** The only `Camel…` headers of a request. */
const addressHeaders = new Set(["camelhttpmethod", "camelhttppath", "camelhttpuri", "camelhttpurl", "camelhttpquery", "camelhttprawquery"]);
const maxQueryParameters = 1_000;
const none: readonly (readonly [string, unknown])[] = [];

/** Reads one header without building Node's header object; undefined when it is absent. */
export function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string;
    if (candidate.length === name.length && candidate.toLowerCase() === name) return rawHeaders[index + 1];
  }
  return undefined;
}

const maxCorrelationIdLength = 256;

/** The correlation id sent by the caller; an empty or too long one is ignored. */
export function correlationIdOf(rawHeaders: readonly string[]): string | undefined {
  const id = findHeader(rawHeaders, "x-correlation-id") ?? findHeader(rawHeaders, "breadcrumbid");
  return id === undefined || id === "" || id.length > maxCorrelationIdLength ? undefined : id;
}

/**
 * The received headers of a message. Path values take precedence over headers, and headers over query values; a repeated query
 * name becomes a list, and values after the first thousand are ignored.
 */
export function wireHeadersOf(request: HttpRequest, added: Iterable<readonly [string, unknown]> = none): WireHeaders {
  return new RequestHeaders(request, added);
}

class RequestHeaders implements WireHeaders {
  readonly #request: HttpRequest;
  readonly #added: Iterable<readonly [string, unknown]>;

  constructor(request: HttpRequest, added: Iterable<readonly [string, unknown]>) {
    this.#request = request;
    this.#added = added;
  }

  entries(): Iterable<readonly [string, unknown]> {
    const request = this.#request;
    const entries = new Map<string, readonly [string, unknown]>();
    addQuery(entries, request.query);
    addHttpHeaders(entries, request);
    for (const name of Object.keys(request.params)) put(entries, name, request.params[name]);
    for (const [name, value] of this.#added) entries.set(name.toLowerCase(), [name, value]);
    addAddress(entries, request);
    return entries.values();
  }

  /** Fast path for a header sent once; all other cases need the complete headers. */
  find(key: string): unknown {
    const { rawHeaders, query, params, hidden } = this.#request;
    if (query !== "" || undeterminedHeaders.has(key) || Object.keys(params).length > 0 || this.#added !== none) return undetermined;
    // Sinks set and remove such headers for every message.
    if (key.startsWith("camel")) return addressHeaders.has(key) ? undetermined : undefined;
    // A credential consumed by a policy is removed.
    if (hidden?.includes(key) === true) return undefined;
    let found: string | undefined;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] as string;
      if (name.length !== key.length || name.toLowerCase() !== key) continue;
      if (found !== undefined) return undetermined;
      found = rawHeaders[index + 1];
    }
    return found;
  }
}

function addHttpHeaders(entries: Map<string, readonly [string, unknown]>, { headers, rawHeaders }: HttpRequest): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const key = name.toLowerCase();
    // A header may have been removed, such as a credential consumed by a policy.
    if (seen.has(key) || connectionHeaders.has(key) || !Object.hasOwn(headers, key)) continue;
    seen.add(key);
    put(entries, name, headers[key]);
  }
}

function addQuery(entries: Map<string, readonly [string, unknown]>, query: string): void {
  if (query === "") return;
  for (const pair of query.split("&", maxQueryParameters)) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const existing = entries.get(name.toLowerCase())?.[1];
    if (existing === undefined) put(entries, name, value);
    else if (Array.isArray(existing)) existing.push(value);
    else put(entries, name, [existing, value]);
  }
}

function addAddress(entries: Map<string, readonly [string, unknown]>, { method, path, query, rawHeaders }: HttpRequest): void {
  const uri = query === "" ? path : `${path}?${query}`;
  const set = (name: string, value: unknown): void => void entries.set(name.toLowerCase(), [name, value]);
  set("CamelHttpMethod", method);
  set("CamelHttpPath", path);
  set("CamelHttpUri", uri);
  set("CamelHttpUrl", `http://${findHeader(rawHeaders, "host") ?? "localhost"}${uri}`);
  if (query === "") return;
  set("CamelHttpQuery", query);
  set("CamelHttpRawQuery", query);
}

function put(entries: Map<string, readonly [string, unknown]>, name: string, value: unknown): void {
  const key = name.toLowerCase();
  if (!key.startsWith("camel")) entries.set(key, [name, value]);
}

function decode(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
