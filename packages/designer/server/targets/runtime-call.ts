// One call to a runtime, with its token.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { HttpError } from "../http/http-error.ts";
import { assertManagementPath } from "./management-path.ts";
import { invalidVariable, type Target, type Targets } from "./targets.ts";

export interface RuntimeCall {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Timeout until the first byte of the response. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** False for webhooks, which have their own credentials. */
  readonly withToken?: boolean;
}

/** Sends the call and resolves with the response headers; throws 502 if the runtime is unreachable, 504 on timeout. */
export function openCall(targets: Targets, target: Target, call: RuntimeCall): Promise<IncomingMessage> {
  const token = call.withToken === false ? undefined : tokenFor(targets, target, call.path);
  const send = target.baseUrl.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send(`${target.baseUrl}${call.path}`, {
      method: call.method,
      headers: {
        ...call.headers,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(call.body === undefined ? {} : { "content-length": String(call.body.length) }),
      },
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    const timer = setTimeout(
      () => outgoing.destroy(new HttpError(504, `the runtime '${target.name}' did not respond in time; the outcome is unknown`, { runtime: "timeout" })),
      call.timeoutMs ?? 30_000,
    );
    outgoing.once("response", (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    outgoing.once("error", (error) => {
      clearTimeout(timer);
      const reason = (error as NodeJS.ErrnoException).code ?? "no connection";
      reject(
        error instanceof HttpError
          ? error
          : new HttpError(502, `the runtime '${target.name}' at ${target.baseUrl} is not responding (${reason})`, { runtime: "down" }),
      );
    });
    outgoing.end(call.body);
  });
}

/** The token, for the management API only: it must never be sent to a webhook. */
function tokenFor(targets: Targets, target: Target, path: string): string {
  assertManagementPath(path);
  const token = targets.tokenOf(target);
  if (token !== undefined) return token;
  const remedy = targets.isTokenVariable(target) ? `set ${target.tokenEnv} where the designer is started` : invalidVariable(target.tokenEnv);
  throw new HttpError(503, `no token for target '${target.name}': ${remedy}`, { runtime: "no-token" });
}

export interface RuntimeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const maxResponseBytes = 16 * 1024 * 1024;

/** Reads the complete response, up to a size limit. */
export async function callRuntime(targets: Targets, target: Target, call: RuntimeCall): Promise<RuntimeResponse> {
  const response = await openCall(targets, target, call);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxResponseBytes) throw new HttpError(502, `the runtime '${target.name}' sent a response larger than ${maxResponseBytes} bytes`);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof HttpError
      ? error
      : new HttpError(502, `the runtime '${target.name}' closed the connection before the end of the response`, { runtime: "down" });
  }
  return { status: response.statusCode ?? 502, headers: response.headers, text: Buffer.concat(parts).toString("utf8") };
}
