// What a caller is told when a run is over: the message as the route left it, or the failure in one sentence.
import { asJson, asText, textForm, type Exchange, type FlowError, type HttpReply, type TraceContext } from "@sluice/engine/spi";
import { traceResponse } from "./trace-context.ts";

export interface ReplyRule {
  readonly routeId: string;
  /** What an untouched body means: `ok` for webhooks, the body itself where Camel's rule holds. */
  readonly unchanged: "ok" | "echo";
  readonly muteException: boolean;
}

type ReplyHeaders = Record<string, string | readonly string[]>;

const notBlank = /\S/;
const plainText = "text/plain; charset=utf-8";

/** The reply of a finished run; `delivered` is the body the route was given. */
export function replyOfExchange(exchange: Exchange, delivered: unknown, rule: ReplyRule): HttpReply {
  if (exchange.failure !== undefined) return failureReply(exchange, exchange.failure, delivered, rule);
  const { message } = exchange;
  const headers = runHeaders(exchange);
  const own = ownHeaders(exchange, headers);
  const code = message.headers.getOwn("CamelHttpResponseCode");
  const status = code === undefined || code === null ? undefined : Number(code);
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    return errorReply(500, `route '${rule.routeId}' set '${asText(code).slice(0, 40)}' as its response code`, headers);
  if (rule.unchanged === "ok" && message.body === delivered) {
    if (own === undefined) headers["Content-Type"] = plainText;
    return { status: status ?? 200, headers, body: "ok" };
  }
  return bodyReply(message.body, status, headers, own, rule);
}

/** The reply to a caller who does not wait. */
export function acceptedReply(exchange: Exchange): HttpReply {
  const headers = runHeaders(exchange);
  headers["Content-Type"] = "application/json";
  return { status: 202, headers, body: JSON.stringify({ runId: exchange.run.root.id }) };
}

export function timeoutReply(exchange: Exchange | undefined, rule: ReplyRule, timeoutMs: number): HttpReply {
  const where = exchange === undefined ? "" : ` (run ${exchange.run.root.id})`;
  return errorReply(
    504,
    `route '${rule.routeId}' gave no answer within ${timeoutMs} ms and goes on${where}`,
    exchange === undefined ? {} : runHeaders(exchange),
  );
}

export function errorReply(status: number, text: string, headers: ReplyHeaders = {}): HttpReply {
  headers["Content-Type"] = "application/json";
  return { status, headers, body: JSON.stringify({ error: text.length > 500 ? `${text.slice(0, 499)}…` : text }) };
}

function bodyReply(body: unknown, status: number | undefined, headers: ReplyHeaders, own: string | undefined, rule: ReplyRule): HttpReply {
  if (isByteStream(body)) {
    headers["Content-Type"] = own ?? "application/octet-stream";
    return { status: status ?? 200, headers, body };
  }
  const bytes = body instanceof Uint8Array;
  const content = bytes ? body : isStructure(body) ? asJson(body) : asText(body);
  if (isBlank(content)) {
    if (rule.unchanged === "echo") return { status: status ?? 204, headers, body: undefined };
    return { status: status ?? 200, headers, body: content };
  }
  headers["Content-Type"] = own ?? (bytes ? "application/octet-stream" : isStructure(body) ? "application/json" : plainText);
  return { status: status ?? 200, headers, body: content };
}

function isBlank(content: string | Uint8Array): boolean {
  return typeof content === "string" ? !notBlank.test(content) : content.length === 0;
}

/** Lists and maps, which go out as JSON; values with a text of their own, such as XML nodes and dates, do not. */
function isStructure(body: unknown): boolean {
  return typeof body === "object" && body !== null && !(body instanceof Date) && !(body instanceof Error) && !(textForm in body);
}

function isByteStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** The run is the request's own, also for a caller who is answered while it is below a `direct:` call. */
function runHeaders({ run, properties }: Exchange): ReplyHeaders {
  const headers: ReplyHeaders = { "X-Run-Id": run.root.id };
  if (run.trace !== undefined) headers["traceresponse"] = traceResponse(run.trace as TraceContext);
  const mocked = properties?.get("SluiceMocked");
  if (typeof mocked === "string") headers["X-Mocked"] = mocked;
  return headers;
}

/** Adds the headers the route set and returns its Content-Type. Those that describe the run stay ours. */
function ownHeaders(exchange: Exchange, headers: ReplyHeaders): string | undefined {
  if (!exchange.message.headers.hasOwn) return undefined;
  let contentType: string | undefined;
  for (const [name, value] of exchange.message.headers.own()) {
    const lower = name.toLowerCase();
    if (value === null || value === undefined || lower.startsWith("camel") || lower === "x-run-id" || lower === "traceresponse" || lower === "x-mocked")
      continue;
    if (lower === "content-type") contentType = headers["Content-Type"] = asText(value);
    else headers[name] = Array.isArray(value) ? value.map((item) => asText(item)) : asText(value);
  }
  return contentType;
}

function failureReply(exchange: Exchange, failure: FlowError, delivered: unknown, rule: ReplyRule): HttpReply {
  const headers = runHeaders(exchange);
  const failed = `route '${rule.routeId}' failed (run ${exchange.run.root.id})`;
  if (failure.code === "limit-inflight") {
    headers["Retry-After"] = "1";
    return errorReply(503, failure.message, headers);
  }
  if (failure.code === "limit-time" || failure.code === "limit-run-time") return errorReply(504, failed, headers);
  if (failure.code === "run-cancelled" || failure.code === "run-abandoned") return errorReply(503, failed, headers);
  if (failure.details?.["clientFault"] === true && isStill(exchange.message.body, delivered)) return errorReply(400, `${failed}: ${failure.message}`, headers);
  return errorReply(500, rule.muteException ? failed : `${failed}: ${failure.message}`, headers);
}

/** A body that cannot be read is the caller's fault only while it is the caller's body, not some partner's answer. */
function isStill(body: unknown, delivered: unknown): boolean {
  return body === delivered || (typeof body === "string" && body === asText(delivered));
}
