// Calls the management API in process: same handler, token and checks, without sockets. Streams need a socket.
import { errorHeaders, ServiceError, statusOf, type ErrorReply } from "../service-error.ts";
import type { ApiResponder, ManagementHandler } from "./management.ts";
import { errorBody } from "./reply.ts";
import { readTarget } from "./target.ts";

export interface LocalReply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

interface LocalCall {
  readonly method: string;
  /** The path with its query: `/_api/runs?limit=1`. */
  readonly path: string;
  readonly token: string | undefined;
  /** Sent as JSON. */
  readonly body: unknown;
}

/** An in-process caller never disconnects. */
const neverAborted = new AbortController().signal;

export async function callManagement(management: ManagementHandler, { method, path, token, body }: LocalCall): Promise<LocalReply> {
  const queryStart = path.indexOf("?");
  const target = readTarget(queryStart < 0 ? path : path.slice(0, queryStart));
  if (target.kind !== "management") throw new Error(`'${path}' is not a path of the management API`);
  const responder = new LocalResponder();
  await management(
    {
      method,
      segments: target.segments,
      query: new URLSearchParams(queryStart < 0 ? "" : path.slice(queryStart + 1)),
      headers: {},
      authorization: token === undefined ? [] : [`Bearer ${token}`],
      remoteAddress: "127.0.0.1",
      signal: neverAborted,
      readBody: async (limit = Infinity) => {
        const bytes = Buffer.from(body === undefined ? "" : JSON.stringify(body), "utf8");
        if (bytes.length > limit) throw new ServiceError("body-too-large", `the body is larger than ${limit} bytes`);
        return bytes;
      },
    },
    responder,
  );
  if (responder.reply === undefined) throw new Error("the management API sent no reply");
  return responder.reply;
}

class LocalResponder implements ApiResponder {
  reply: LocalReply | undefined = undefined;

  get sent(): boolean {
    return this.reply !== undefined;
  }

  send(status: number, body: string | Uint8Array | undefined, headers: Readonly<Record<string, string>> = {}): void {
    const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const text = typeof body === "string" ? body : Buffer.from(body ?? []).toString("utf8");
    this.reply ??= { status, headers: Object.fromEntries(lowerCased) as Record<string, string>, text };
  }

  json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): void {
    this.send(status, JSON.stringify(value), { "Content-Type": "application/json", ...headers });
  }

  error(error: ErrorReply): void {
    this.send(statusOf(error), errorBody(error.message), errorHeaders(error));
  }

  stream(): never {
    throw new ServiceError("request-invalid", "streams are not available in process: use HTTP");
  }
}
