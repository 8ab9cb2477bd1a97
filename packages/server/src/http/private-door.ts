// A second way in, for the other workers of the service: a socket in the file system that only this user may open. What comes in
// there was taken in by another worker; the address of its client comes along in a header of its own.
import { chmod, unlink } from "node:fs/promises";
import type { IncomingMessage, Server } from "node:http";

export const peerHeader = "x-sluice-peer";

/** A request that another worker took in. */
export interface ForwardedRequest extends IncomingMessage {
  /** The address of the client. */
  peer?: string;
}

/** Listens at a path. Idle connections are kept: they are the other worker's to close. */
export async function openPrivateDoor(server: Server, path: string): Promise<void> {
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

/** Room for what the other worker adds to a head that was as large as a head may be. */
export const addedHeaderBytes = 1_024;

/**
 * Takes the client's address out of the headers, and those before it that the other worker had to add; that worker lets no other header
 * of this name through.
 */
export function notePeer(request: ForwardedRequest): void {
  const { rawHeaders } = request;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() !== peerHeader) continue;
    const [peer, ours] = (rawHeaders[index + 1] as string).split(" ");
    request.peer = peer as string;
    const first = index - Number(ours ?? 0) * 2;
    for (let taken = index; taken >= first; taken -= 2) {
      const name = (rawHeaders[taken] as string).toLowerCase();
      // Node makes these two from the raw list when they are first asked for, and counts on its length.
      delete request.headers[name];
      delete request.headersDistinct[name];
      // Only a client that speaks the older version may name no host.
      if (name === "host") request.httpVersionMinor = 0;
    }
    rawHeaders.splice(first, index + 2 - first);
    return;
  }
}
