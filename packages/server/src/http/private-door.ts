// A second way in, for the other workers of the service: a socket in the file system that only this user may open. What comes in
// there was taken in by another worker; the address of its client comes along as the last header.
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

/** Takes the client's address out of the headers. */
export function notePeer(request: ForwardedRequest): void {
  const [name = "", peer = ""] = request.rawHeaders.slice(-2);
  if (name.toLowerCase() !== peerHeader) return;
  request.rawHeaders.splice(-2);
  request.peer = peer;
}
