// Makes the call, follows redirects if enabled, and writes the response to the message.
import { lookup } from "node:dns/promises";
import { STATUS_CODES } from "node:http";
import type { Dispatcher } from "undici";
import { CompileError, FlowError, type Endpoint, type Exchange, type Sink } from "@sluice/engine/spi";
import { readStatusRange } from "@sluice/engine/values";
import { decodePercent } from "@sluice/model";
import type { CallAgents } from "./call-agents.ts";
import { checkLiteralAddress, EgressDenied, isExempt, isPrivateAddress, redirectError, type EgressPolicy } from "./egress.ts";
import type { HttpOptions } from "./http-shape.ts";
import { callFailure, statusFailure } from "./http-failure.ts";
import { bodyOf, headersOf, methodOf, targetOf, type RequestBody, type Target } from "./http-request.ts";
import { applyResponse, readResponse } from "./http-response.ts";
import { rejectUnsupportedOptions } from "./unsupported-options.ts";

const redirectLimit = 10;

interface Call {
  readonly target: Target;
  readonly method: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: RequestBody;
}

/** Parts of a call that another connector determines instead of the HTTP endpoint. */
export interface CallParts {
  /** The address of a call; by default that of the endpoint, with the path and query that the route set. */
  target?(exchange: Exchange): Target;
  /** Content type of the body unless the message has one. */
  readonly contentType?: string | undefined;
  /** The Accept header unless the route set one. */
  readonly accept?: string | undefined;
}

export function httpSink(endpoint: Endpoint<HttpOptions>, agents: CallAgents, policy: EgressPolicy, parts: CallParts = {}): Sink {
  const { options } = endpoint;
  rejectUnsupportedOptions(endpoint.extra);
  const target = parts.target ?? targetOf(endpoint);
  const isOk = statusRange(options.okStatusCodeRange);
  const credentials = credentialsOf(options);
  const proxy = options.proxyHost === undefined ? undefined : `http://${options.proxyHost}:${options.proxyPort}`;
  const timeout = Math.min(options.responseTimeout || Infinity, options.soTimeout || Infinity);
  const timeoutMs = Number.isFinite(timeout) ? timeout : 0;

  const request = async ({ target: { url, trusted }, method, headers, body }: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData> => {
    const guarded = !trusted && !isExempt(url, policy);
    if (guarded) {
      checkLiteralAddress(url);
      // A proxy resolves names itself, so the address can only be checked here.
      if (proxy !== undefined && (await lookup(url.hostname, { all: true })).some(({ address }) => isPrivateAddress(address)))
        throw new EgressDenied(url.hostname);
    }
    const dispatcher = await agents.get({ connectTimeout: options.connectTimeout, guarded, proxy });
    return dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      body: (body ?? null) as Dispatcher.DispatchOptions["body"],
      signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      reset: options.connectionClose,
    });
  };

  const perform = async (exchange: Exchange): Promise<void> => {
    const { signal } = exchange.run;
    const method = methodOf(options, exchange);
    const body = bodyOf(options, method, exchange.message.body);
    const first = target(exchange);
    const headers = headersOf(options, exchange, body, userInfoOf(first.url) ?? credentials);
    if (parts.contentType !== undefined && body !== undefined && !exchange.message.headers.has("Content-Type")) headers["content-type"] = parts.contentType;
    if (parts.accept !== undefined) headers["accept"] ??= parts.accept;
    let call: Call = { target: first, method, body, headers };
    try {
      let response = await request(call, signal);
      for (let hops = 0; options.followRedirects && isRedirect(response); hops++) {
        if (hops === redirectLimit)
          throw new FlowError("java.io.IOException", `more than ${redirectLimit} redirects, the last one from ${call.target.url.host}`, {
            code: "http-redirects",
          });
        await response.body.dump();
        call = followRedirect(call, response);
        response = await request(call, signal);
      }
      const statusText = STATUS_CODES[response.statusCode] ?? "";
      const failed = options.throwExceptionOnFailure && !isOk(response.statusCode);
      if (failed)
        throw statusFailure(call.target.url, {
          statusCode: response.statusCode,
          statusText,
          headers: response.headers,
          body: await readResponse(response, 64 * 1024, true),
        });
      await applyResponse(exchange.message, response, statusText, options);
    } catch (error) {
      throw callFailure(error, call.target.url, signal);
    }
  };

  return { send: perform };
}

function isRedirect({ statusCode, headers }: Dispatcher.ResponseData): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode) && headers["location"] !== undefined;
}

/** The request that follows a redirect. Its address came from outside, so trust and credentials are kept only for the same origin. */
function followRedirect({ target, method, headers, body }: Call, { statusCode, headers: responseHeaders }: Dispatcher.ResponseData): Call {
  const location = String(responseHeaders["location"]);
  let url: URL;
  try {
    url = new URL(location, target.url);
  } catch {
    throw redirectError(target.url, "an invalid address");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw redirectError(target.url, `a ${url.protocol} address`);
  const sameOrigin = url.origin === target.url.origin;
  const next: Record<string, string | string[]> = { ...headers };
  if (!sameOrigin) for (const name of ["authorization", "cookie", "proxy-authorization", "host"]) delete next[name];
  const becomesGet = statusCode === 303 ? method !== "HEAD" : statusCode < 303 && method === "POST";
  if (becomesGet) delete next["content-type"];
  if (!becomesGet && body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array))
    throw new FlowError(
      "java.io.IOException",
      `${target.url.host} redirects the request, but its body is a stream that was already sent: convert the body to text or bytes before this step, or use the final address`,
      {
        code: "http-redirects",
      },
    );
  return { target: { url, trusted: target.trusted && sameOrigin }, method: becomesGet ? "GET" : method, headers: next, body: becomesGet ? undefined : body };
}

function statusRange(text: string): (status: number) => boolean {
  const ranges = text.split(",").map((part) => {
    const range = readStatusRange(part);
    if (range === undefined)
      throw new CompileError("bad-option", `'${part}' in okStatusCodeRange is not a status code or range`, { hint: "write 200-299 or 200-204,209" });
    return range;
  });
  return (status) => ranges.some(([first, last]) => status >= first && status <= last);
}

function credentialsOf({ authMethod, authUsername, authPassword, authBearerToken }: HttpOptions): string | undefined {
  if (authMethod === "Bearer" || (authMethod === undefined && authBearerToken !== undefined)) {
    if (authBearerToken === undefined) throw new CompileError("bad-option", "authMethod=Bearer requires authBearerToken");
    return `Bearer ${authBearerToken}`;
  }
  if (authUsername === undefined) {
    if (authMethod === "Basic") throw new CompileError("bad-option", "authMethod=Basic requires authUsername");
    return undefined;
  }
  return basic(authUsername, authPassword ?? "");
}

function userInfoOf({ username, password }: URL): string | undefined {
  return username === "" ? undefined : basic(decodePercent(username, false), decodePercent(password, false));
}

const basic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
