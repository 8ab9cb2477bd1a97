// The test runner's interface to a runtime, implemented over HTTP here; an in-process runtime can implement it too.

import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as SecureAgent, request as httpsRequest } from "node:https";
import { EventParser, type LogEvent } from "@sluice/client";

export interface TransportReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RuntimeTransport {
  /** A call to the management API; `path` is below `/_api`. */
  api(method: string, path: string, body?: unknown): Promise<TransportReply>;
  /** A call to a webhook; `path` includes the query. */
  webhook(method: string, path: string, headers: Readonly<Record<string, string>>, body: string | undefined): Promise<TransportReply>;
  /** Follows the log of a session's messages. */
  followLog(sessionId: string): Promise<FollowedLog>;
}

export interface FollowedLog {
  /** The log so far, oldest first. Waits until `isEnough` returns true, but only for the time that a line may take to arrive. */
  lines(isEnough?: (lines: readonly LoggedLine[]) => boolean): Promise<readonly LoggedLine[]>;
  close(): void;
}

export interface LoggedLine {
  readonly level: string;
  readonly message: string;
}

/** How long a log line may take to arrive. */
const arrivalMs = 1_000;
const pollMs = 5;

/** Tests make many small calls: connections are kept alive, and Node's own client costs a tenth of `fetch`. */
export function httpTransport(baseUrl: string, token: string): RuntimeTransport {
  const authorization = { authorization: `Bearer ${token}` };
  const isSecure = baseUrl.startsWith("https:");
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });

  function send(method: string, path: string, headers: Readonly<Record<string, string>>, body: string | undefined): Promise<IncomingMessage> {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
    return new Promise((resolve, reject) => {
      const request = isSecure ? httpsRequest : httpRequest;
      const call = request(baseUrl + path, { method, agent, headers: { ...length, ...headers } }, resolve);
      call.on("error", (error: NodeJS.ErrnoException) =>
        reject(new Error(`no runtime responds at ${baseUrl}: ${error.code ?? error.message}`, { cause: error })),
      );
      call.end(body);
    });
  }

  return {
    async api(method, path, body) {
      return replyOf(await send(method, `/_api${path}`, authorization, body === undefined ? undefined : JSON.stringify(body)));
    },
    async webhook(method, path, headers, body) {
      return replyOf(await send(method, path, headers, body));
    },
    async followLog(sessionId) {
      const reply = await send("GET", `/_api/logs/stream?sessionId=${encodeURIComponent(sessionId)}`, authorization, undefined);
      const lines: LoggedLine[] = [];
      const parser = new EventParser();
      reply.setEncoding("utf8");
      reply.on("data", (part: string) => {
        for (const { name, data } of parser.push(part)) if (name === "log") lines.push(data as LogEvent);
      });
      reply.on("error", () => undefined);
      return {
        async lines(isEnough = () => false) {
          const deadline = performance.now() + arrivalMs;
          while (!isEnough(lines) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, pollMs));
          return [...lines];
        },
        close: () => reply.destroy(),
      };
    },
  };
}

function replyOf(reply: IncomingMessage): Promise<TransportReply> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    reply.on("data", (part: Buffer) => parts.push(part));
    reply.on("error", reject);
    reply.on("end", () => {
      const headers = Object.entries(reply.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]);
      resolve({ status: reply.statusCode ?? 0, headers: Object.fromEntries(headers) as Record<string, string>, text: Buffer.concat(parts).toString("utf8") });
    });
  });
}
