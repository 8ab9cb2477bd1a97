// A Unix socket on which the leader accepts requests forwarded by other workers. Only the user that runs the leader can
// open it. The address of the original client is passed in a header.
import { chmod, unlink } from "node:fs/promises";
import type { IncomingMessage, Server } from "node:http";

export const peerHeader = "x-sluice-peer";

/** A request forwarded by another worker. */
export interface ForwardedRequest extends IncomingMessage {
  /** The address of the client. */
  peer?: string;
}

/** Listens at a path. Idle connections stay open: the other worker closes them. */
export async function listenOnWorkerSocket(server: Server, path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
  server.on("connection", (socket) => {
    socket.setTimeout = () => socket;
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path, exclusive: true }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
}

/** Extra header space for the headers that the forwarding worker adds. */
export const addedHeaderBytes = 1_024;

/**
 * Sets `request.peer` from the peer header and removes this header and those that the forwarding worker added before it. The forwarding
 * worker drops all other headers of this name.
 */
export function extractPeer(request: ForwardedRequest): void {
  const { rawHeaders } = request;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() !== peerHeader) continue;
    const [peer, addedCount] = (rawHeaders[index + 1] as string).split(" ");
    request.peer = peer as string;
    const first = index - Number(addedCount ?? 0) * 2;
    for (let position = index; position >= first; position -= 2) {
      const name = (rawHeaders[position] as string).toLowerCase();
      // Node builds these two lazily from the raw list and relies on its length.
      delete request.headers[name];
      delete request.headersDistinct[name];
      // Only HTTP/1.0 requests may omit Host.
      if (name === "host") request.httpVersionMinor = 0;
    }
    rawHeaders.splice(first, index + 2 - first);
    return;
  }
}
