// Clients that try to make a runtime buffer too much: pipelining without reading, and bodies that inflate.
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

export interface SilentClients {
  readonly sockets: readonly Socket[];
  /** Connections closed by the runtime. */
  closed(): number;
  close(): void;
}

/** Opens connections that send these bytes and never read a reply. */
export async function sendWithoutReading(baseUrl: string, count: number, bytes: string): Promise<SilentClients> {
  const port = Number(new URL(baseUrl).port);
  let closed = 0;
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, "127.0.0.1");
    // A paused socket does not report that it was closed; an error or a failed write does.
    socket.on("error", () => undefined).on("close", () => closed++);
    socket.pause();
    socket.write(bytes);
    return socket;
  });
  await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.once("connect", resolve).once("close", resolve))));
  return {
    sockets,
    closed: () => closed,
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A small gzip body that inflates to this many bytes. */
export const gzipOf = (bytes: number): Buffer => gzipSync(Buffer.alloc(bytes, "x"));

export interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Posts a gzip body on a separate connection; status 0 when there was no reply. */
export function postGzip(url: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: "POST", agent: false, headers: { "content-encoding": "gzip", ...headers } }, (incoming) => {
      incoming.resume().on("end", () => resolve({ status: incoming.statusCode ?? 0, retryAfter: incoming.headers["retry-after"] }));
    });
    outgoing.on("error", () => resolve({ status: 0, retryAfter: undefined }));
    outgoing.end(body);
  });
}

/** Number of replies per status. */
export function countStatuses(replies: readonly Reply[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
