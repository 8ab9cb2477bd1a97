import { HttpError } from "../http/http-error.ts";
import { callRuntime } from "./runtime-call.ts";
import type { Targets } from "./targets.ts";

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const maxShownLength = 64 * 1024;

/** Calls a webhook of a runtime without the deploy token, like any client. */
export async function tryWebhook(targets: Targets, body: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { target, method = "POST", headers = {}, body: content = "" } = body;
  const path = addressOf(body);
  if (typeof method !== "string" || !methods.has(method)) throw new HttpError(400, `method must be one of ${[...methods].join(", ")}`);
  if (typeof content !== "string" || headers === null || typeof headers !== "object") throw new HttpError(400, "body must be a string and headers an object");
  const validHeaders = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof value === "string" && !/[\r\n\0]/.test(value) ? [[name.toLowerCase(), value]] : [],
    ),
  );
  const startTime = performance.now();
  const response = await callRuntime(targets, targets.find(typeof target === "string" ? target : undefined), {
    method,
    path,
    headers: validHeaders,
    ...(method === "GET" ? {} : { body: Buffer.from(content, "utf8") }),
    withToken: false,
    timeoutMs: 60_000,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: response.text.slice(0, maxShownLength),
    truncated: response.text.length > maxShownLength,
    durationMs: Math.round(performance.now() - startTime),
    runId: response.headers["x-run-id"] ?? null,
  };
}

/** The webhook path of a route, or a custom path; never a path of the management API. */
function addressOf({ routeId, path }: Readonly<Record<string, unknown>>): string {
  if (typeof routeId === "string" && routeId !== "") return `/api/${encodeURIComponent(routeId.replaceAll(/\p{Surrogate}/gu, "\uFFFD"))}`;
  if (typeof path !== "string" || !/^\/[\x21-\x7e]*$/.test(path)) throw new HttpError(400, "specify a routeId, or a path that starts with '/'");
  const { pathname, search } = new URL(path.replace(/^\/+/, "/"), "http://runtime");
  if (/^\/+_api(\/|$)/i.test(pathname.replaceAll(/%5f/gi, "_"))) throw new HttpError(400, "paths of the management API cannot be called as webhooks");
  return pathname + search;
}
