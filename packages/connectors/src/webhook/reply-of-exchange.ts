// Creates the response of a finished run: the final message of the route, or the failure in one sentence.
import { FlowError, isFlowError, settlementOf, type Clock, type Exchange, type HttpReply } from "@sluice/engine/spi";
import { asJson, asText, shouldWriteInParts, textForm } from "@sluice/engine/values";
import { traceResponse } from "./trace-context.ts";

export interface ReplyRule {
  readonly routeId: string;
  /** The response for an unchanged body: `ok` for webhooks, the body itself under Camel's rules. */
  readonly unchanged: "ok" | "echo";
  readonly muteException: boolean;
  /** Masks secrets in the cause of a failure: other systems may repeat them in their errors. */
  readonly mask: (text: string) => string;
  /** The content type of replies for which the route sets none. */
  readonly contentType?: string | undefined;
  readonly clock: Clock;
}

/** The JSON text of a large body, written in slices before the reply is created. */
export interface WrittenBody {
  readonly body: unknown;
  readonly json: string;
}

type ReplyHeaders = Record<string, string | readonly string[]>;

/** Proxies and clients reject longer headers, most of them without naming the header. */
const maxHeaderLength = 16_384;
/** Replaces a value that has too many parts to be written, so that the reply is rejected as too long. */
const overlong = " ".repeat(maxHeaderLength + 1);
const notBlank = /\S/;
const plainText = "text/plain; charset=utf-8";

/** The response of a finished run; `delivered` is the body the route received. */
export function replyOfExchange(exchange: Exchange, delivered: unknown, rule: ReplyRule, written?: WrittenBody): HttpReply {
  if (exchange.failure !== undefined) return failureReply(exchange, exchange.failure, delivered, rule);
  const { message } = exchange;
  const headers = runHeaders(exchange);
  const routeContentType = addRouteHeaders(exchange, headers);
  const longHeader = findLongHeader(headers);
  if (longHeader !== undefined) {
    exchange.failure = new FlowError(
      "java.lang.IllegalStateException",
      `size limit: response header '${longHeader}' is longer than ${maxHeaderLength} characters`,
      {
        code: "limit-size",
      },
    );
    return failureReply(exchange, exchange.failure, delivered, rule);
  }
  const code = message.headers.getOwn("CamelHttpResponseCode");
  const status = code === undefined || code === null ? undefined : Number(code);
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    return errorReply(500, `route '${rule.routeId}' set the invalid response code '${asText(code).slice(0, 40)}'`, headers);
  if (rule.unchanged === "ok" && message.body === delivered) {
    if (routeContentType === undefined) headers["Content-Type"] = plainText;
    return { status: status ?? 200, headers, body: "ok" };
  }
  try {
    return bodyReply(message.body, status, headers, routeContentType, rule, written);
  } catch (error) {
    // A body that is too large to write is a failure of the route, not of the service.
    if (isFlowError(error)) return failureReply(exchange, error, delivered, rule);
    throw error;
  }
}

/** The response to a caller that does not wait. */
export function acceptedReply(exchange: Exchange): HttpReply {
  const headers = runHeaders(exchange);
  headers["Content-Type"] = "application/json";
  return { status: 202, headers, body: JSON.stringify({ runId: exchange.run.root.id }) };
}

export function timeoutReply(exchange: Exchange | undefined, rule: ReplyRule, timeoutMs: number): HttpReply {
  const where = exchange === undefined ? "" : ` (run ${exchange.run.root.id})`;
  return errorReply(
    504,
    `route '${rule.routeId}' did not respond within ${timeoutMs} ms and continues to run${where}`,
    exchange === undefined ? {} : runHeaders(exchange),
  );
}

export function errorReply(status: number, text: string, headers: ReplyHeaders = {}): HttpReply {
  headers["Content-Type"] = "application/json";
  return { status, headers, body: JSON.stringify({ error: text.length > 500 ? `${text.slice(0, 499)}…` : text }) };
}

function bodyReply(
  body: unknown,
  status: number | undefined,
  headers: ReplyHeaders,
  routeContentType: string | undefined,
  rule: ReplyRule,
  written?: WrittenBody,
): HttpReply {
  if (isByteStream(body)) {
    headers["Content-Type"] = routeContentType ?? rule.contentType ?? "application/octet-stream";
    return { status: status ?? 200, headers, body };
  }
  const bytes = body instanceof Uint8Array;
  const content = bytes ? body : written !== undefined && written.body === body ? written.json : isStructure(body) ? asJson(body) : asText(body);
  if (isBlank(content)) {
    if (rule.unchanged === "echo") return { status: status ?? 204, headers, body: undefined };
    return { status: status ?? 200, headers, body: content };
  }
  headers["Content-Type"] = routeContentType ?? rule.contentType ?? (bytes ? "application/octet-stream" : isStructure(body) ? "application/json" : plainText);
  return { status: status ?? 200, headers, body: content };
}

function isBlank(content: string | Uint8Array): boolean {
  return typeof content === "string" ? !notBlank.test(content) : content.length === 0;
}

/** True for lists and maps, which are sent as JSON; values with their own text form, such as XML nodes and dates, are not. */
function isStructure(body: unknown): boolean {
  return typeof body === "object" && body !== null && !(body instanceof Date) && !(body instanceof Error) && !(textForm in body);
}

function isByteStream(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/** The headers that describe the run of the request, even when the caller gets its response during a `direct:` call. */
function runHeaders({ run, properties }: Exchange): ReplyHeaders {
  const headers: ReplyHeaders = { "X-Run-Id": run.root.id };
  if (run.trace !== undefined) headers["traceresponse"] = traceResponse(run.trace);
  const mocked = properties?.get("SluiceMocked");
  if (typeof mocked === "string") headers["X-Mocked"] = mocked;
  return headers;
}

/** The name of a header that is too long to send. */
function findLongHeader(headers: ReplyHeaders): string | undefined {
  for (const name in headers) {
    const value = headers[name] as string | readonly string[];
    const longest = typeof value === "string" ? value.length : value.reduce((max, item) => Math.max(max, item.length), 0);
    if (name.length + longest > maxHeaderLength) return name.slice(0, 100);
  }
  return undefined;
}

/** Adds the headers set by the route and returns its Content-Type. Headers that describe the run cannot be replaced. */
function addRouteHeaders(exchange: Exchange, headers: ReplyHeaders): string | undefined {
  if (!exchange.message.headers.hasOwn) return undefined;
  let contentType: string | undefined;
  for (const [name, value] of exchange.message.headers.own()) {
    const lower = name.toLowerCase();
    if (value === null || value === undefined || lower.startsWith("camel") || lower === "x-run-id" || lower === "traceresponse" || lower === "x-mocked")
      continue;
    if (lower === "content-type") contentType = headers["Content-Type"] = asText(value);
    else if (shouldWriteInParts(value)) headers[name] = overlong;
    else headers[name] = Array.isArray(value) ? value.map((item) => asText(item)) : asText(value);
  }
  return contentType;
}

function failureReply(exchange: Exchange, failure: FlowError, delivered: unknown, rule: ReplyRule): HttpReply {
  const headers = runHeaders(exchange);
  const failed = `route '${rule.routeId}' failed (run ${exchange.run.root.id})`;
  const settlement = settlementOf(exchange);
  if (settlement.kind === "released") {
    if (settlement.reason === "drained") return errorReply(503, failed, headers);
    headers["Retry-After"] = "1";
    return errorReply(503, failure.message, headers);
  }
  if (failure.code === "limit-time" || failure.code === "limit-run-time") return errorReply(504, failed, headers);
  if (failure.code === "run-cancelled") return errorReply(503, failed, headers);
  const withCause = (): string => `${failed}: ${rule.mask(failure.message)}`;
  if (failure.details?.["clientFault"] === true && isUnchanged(exchange.message.body, delivered)) return errorReply(400, withCause(), headers);
  return errorReply(500, rule.muteException ? failed : withCause(), headers);
}

/** An unreadable body is the caller's fault only while it is the caller's body, not the response from another system. */
function isUnchanged(body: unknown, delivered: unknown): boolean {
  return body === delivered || (typeof body === "string" && body === asText(delivered));
}
