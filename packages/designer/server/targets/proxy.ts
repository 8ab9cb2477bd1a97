// Proxies `/_api/*` to the selected runtime, including streams. Adds the token and does not follow redirects.
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../http/json-body.ts";
import { openCall } from "./runtime-call.ts";
import type { Targets } from "./targets.ts";

const forwardedRequestHeaders = ["accept", "accept-api-version", "content-type", "if-match", "if-none-match", "last-event-id", "x-test-session"] as const;
const forwardedResponseHeaders = ["content-type", "etag", "allow", "retry-after", "x-api-version", "x-error-code", "x-run-id", "content-disposition"] as const;

/** The request header that names the target. */
const targetHeader = "x-sluice-target";

export async function proxy(targets: Targets, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = request.headers[targetHeader];
  const target = targets.find(typeof name === "string" ? name : undefined);
  const body = request.method === "GET" || request.method === "HEAD" ? undefined : await readBody(request);
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  const received = await openCall(targets, target, {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: pick(request.headers, forwardedRequestHeaders),
    ...(body === undefined ? {} : { body }),
    signal: controller.signal,
  });
  response.writeHead(received.statusCode ?? 502, { "cache-control": "no-store", ...pick(received.headers, forwardedResponseHeaders) });
  response.flushHeaders();
  received.once("error", () => response.destroy());
  received.pipe(response);
}

function pick(headers: IncomingMessage["headers"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])));
}
