// A partner that responds when the test says so, for runs that must be in flight at a certain moment.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface HeldPartner {
  readonly url: string;
  /** Number of calls that wait for a response. */
  waiting(): number;
  /** The callers' ports of the calls that wait. */
  callerPorts(): ReadonlySet<number>;
  /** Responds to the calls that wait. */
  respond(): void;
  close(): void;
}

export async function heldPartner(): Promise<HeldPartner> {
  const pending = new Map<() => void, number>();
  const server = createServer(({ socket }, response) => {
    const respond = (): void => void response.end("partner");
    pending.set(respond, socket.remotePort ?? 0);
    response.on("close", () => pending.delete(respond));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`,
    waiting: () => pending.size,
    callerPorts: () => new Set(pending.values()),
    respond: () => pending.forEach((_port, respond) => respond()),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
