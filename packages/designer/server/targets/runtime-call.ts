// One call to a runtime, with its token.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { HttpError } from "../http/http-error.ts";
import type { Target, Targets } from "./targets.ts";

export interface RuntimeCall {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** How long the runtime may take to begin its answer. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** False for webhooks, which have their own credentials. */
  readonly withToken?: boolean;
}

/** Sends the call and gives the answer as it begins; 502 when the runtime cannot be reached, 504 when it takes too long. */
export function openCall(targets: Targets, target: Target, call: RuntimeCall): Promise<IncomingMessage> {
  const token = call.withToken === false ? undefined : targets.tokenOf(target);
  if (token === undefined && call.withToken !== false) {
    throw new HttpError(503, `no token for target '${target.name}': set ${target.tokenEnv} where the designer is started`, { runtime: "no-token" });
  }
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
      () =>
        outgoing.destroy(new HttpError(504, `the runtime '${target.name}' did not answer in time; nothing is known about the outcome`, { runtime: "timeout" })),
      call.timeoutMs ?? 30_000,
    );
    outgoing.once("response", (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    outgoing.once("error", (error) => {
      clearTimeout(timer);
      const reason = (error as NodeJS.ErrnoException).code ?? "no connection";
      reject(
        error instanceof HttpError
          ? error
          : new HttpError(502, `the runtime '${target.name}' at ${target.baseUrl} does not answer (${reason})`, { runtime: "down" }),
      );
    });
    outgoing.end(call.body);
  });
}

export interface RuntimeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const largestAnswer = 16 * 1024 * 1024;

/** The whole answer; for calls whose answers are small. */
export async function callRuntime(targets: Targets, target: Target, call: RuntimeCall): Promise<RuntimeAnswer> {
  const answer = await openCall(targets, target, call);
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > largestAnswer) throw new HttpError(502, `the runtime '${target.name}' answered with more than ${largestAnswer} bytes`);
      parts.push(part);
    }
  } catch (error) {
    throw error instanceof HttpError ? error : new HttpError(502, `the runtime '${target.name}' broke off its answer`, { runtime: "down" });
  }
  return { status: answer.statusCode ?? 502, headers: answer.headers, text: Buffer.concat(parts).toString("utf8") };
}
