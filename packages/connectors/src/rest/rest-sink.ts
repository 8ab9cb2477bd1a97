// Calls one REST operation of another service: `rest:get:orders/{id}?host=api.example.com`.
import { CompileError, FlowError, type Endpoint, type Exchange, type Sink } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import type { HttpCalls } from "../http/http.ts";

export interface RestCall {
  readonly method: string;
  /** The path with its template. */
  readonly path: string;
  readonly host: string | undefined;
  readonly queryParameters: string | undefined;
  readonly consumes: string | undefined;
  readonly produces: string | undefined;
}

export function restSink(endpoint: Endpoint<unknown>, { method, path, host, queryParameters, consumes, produces }: RestCall, calls: HttpCalls): Sink {
  const address = addressOf(host);
  const base = address.pathname.replace(/\/$/, "");
  const segments = path.split("/").filter((segment) => segment !== "");
  return calls(endpoint, address, method, {
    target(exchange) {
      const url = new URL(address);
      url.pathname = [base, ...segments.map((segment) => segmentOf(segment, exchange))].join("/") || "/";
      if (queryParameters !== undefined) url.search = queryOf(queryParameters, exchange);
      else url.search = asText(exchange.message.headers.getOwn("CamelHttpQuery") ?? "");
      return { url, trusted: endpoint.trusted };
    },
    contentType: produces,
    accept: consumes,
  });
}

function addressOf(host: string | undefined): URL {
  const hint = "write the server as host=api.example.com, or with scheme and port: host=https://api.example.com:8443";
  if (host === undefined) throw new CompileError("option-missing", "rest: as a destination needs the option 'host'", { hint });
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(host) ? host : `http://${host}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new CompileError("option-invalid", `option 'host': '${withoutLogin(host).slice(0, 100)}' is not the address of an HTTP server`, {
    hint,
    option: "host",
  });
}

const withoutLogin = (address: string): string => address.replace(/^([a-z][a-z0-9+.-]*:\/\/|)[^/]*@/i, "$1");

/**
 * A path segment with each `{name}` replaced by a header or variable. A value never adds, removes or changes other segments. An empty segment is
 * rejected, because the call would address the whole collection: `DELETE /orders/` instead of `DELETE /orders/7`.
 */
function segmentOf(template: string, exchange: Exchange): string {
  const segment = template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = valueOf(name, exchange);
    if (value === undefined) throw invalidValue(`no header or variable '${name}' for the path`);
    return encode(value);
  });
  if (segment === "") throw invalidValue(`the value of '${template}' for the path is empty`);
  if (segment !== template && /^(\.|%2e){1,2}$/i.test(segment)) throw invalidValue(`'${segment}' cannot be part of the path`);
  return segment;
}

/** The query with each value `{name}` replaced by a header or variable; a pair with `{name?}` is omitted if there is no value. */
function queryOf(template: string, exchange: Exchange): string {
  return template
    .split("&")
    .flatMap((pair) => {
      const [, name = "", key = "", optional = ""] = /^([^=]*)=\{([^{}?]+)(\??)\}$/.exec(pair) ?? [];
      if (key === "") return [pair];
      const value = valueOf(key, exchange);
      if (value !== undefined) return [`${name}=${encode(value)}`];
      if (optional === "") throw invalidValue(`no header or variable '${key}' for the query`);
      return [];
    })
    .join("&");
}

/** Half of a surrogate pair cannot be encoded. */
const encode = (value: string): string => encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\uFFFD"));

function valueOf(name: string, exchange: Exchange): string | undefined {
  const value = exchange.message.headers.get(name) ?? exchange.variable(name);
  return value === undefined || value === null ? undefined : asText(value);
}

const invalidValue = (message: string): FlowError => new FlowError("java.lang.IllegalArgumentException", message, { code: "rest-value" });
