// Cross-origin rules for browsers. They do not grant access: they only control which pages may send requests and read the replies.
import type { AccessRequest } from "../http/access.ts";
import { headerOf } from "./credential-locations.ts";
import type { Cors } from "./policy-document.ts";

type HeaderFields = Readonly<Record<string, string>>;

export interface CorsRules {
  /** For every reply, including errors: otherwise a page could not distinguish 401 from a network failure. */
  onReply(request: AccessRequest): HeaderFields | undefined;
  onPreflight(request: AccessRequest): HeaderFields | undefined;
}

export function corsRules(cors: Cors): CorsRules {
  const allowsAnyOrigin = cors.origins.includes("*");
  const origins = new Set(cors.origins.map((origin) => origin.toLowerCase()));
  const credentials: HeaderFields = cors.credentials === true ? { "Access-Control-Allow-Credentials": "true" } : {};
  const exposed: HeaderFields = cors.exposeHeaders === undefined ? {} : { "Access-Control-Expose-Headers": cors.exposeHeaders.join(", ") };

  function originHeaders(request: AccessRequest): HeaderFields | undefined {
    const origin = headerOf(request, "origin");
    if (origin === undefined) return undefined;
    if (!allowsAnyOrigin && !origins.has(origin.toLowerCase())) return { Vary: "Origin" };
    return { "Access-Control-Allow-Origin": allowsAnyOrigin ? "*" : origin, ...(allowsAnyOrigin ? {} : { Vary: "Origin" }), ...credentials };
  }

  return {
    onReply(request) {
      const headers = originHeaders(request);
      return headers?.["Access-Control-Allow-Origin"] === undefined ? headers : { ...headers, ...exposed };
    },
    onPreflight(request) {
      const headers = originHeaders(request);
      const method = headerOf(request, "access-control-request-method");
      if (headers?.["Access-Control-Allow-Origin"] === undefined || method === undefined) return headers;
      return {
        ...headers,
        "Access-Control-Allow-Methods": (cors.methods ?? [method]).join(", "),
        "Access-Control-Allow-Headers": cors.headers?.join(", ") ?? headerOf(request, "access-control-request-headers") ?? "*",
        "Access-Control-Max-Age": String(cors.maxAgeSec ?? 600),
      };
    },
  };
}
