import { randomInt } from "node:crypto";
import { connect, createServer, type Server } from "node:net";

// Below the ports that systems assign to outgoing connections and to listeners on port 0. A killed server needs the same port when it starts
// again, and a connection of any process could occupy a port of that range meanwhile.
const firstPort = 10_000;
const endPort = 32_000;

/** Distinct free ports of the loopback interface. All stay open until the last one is found, so that no other process occupies one. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const probes = new Map<number, Server>();
  while (probes.size < count) {
    const port = randomInt(firstPort, endPort);
    const probe = probes.has(port) ? undefined : await listenOn(port);
    if (probe !== undefined) probes.set(port, probe);
  }
  await Promise.all([...probes.values()].map((probe) => new Promise((resolve) => probe.close(resolve))));
  return [...probes.keys()];
}

/** A free port of the loopback interface; see `freePorts`. */
export async function freePort(): Promise<number> {
  return (await freePorts(1))[0] as number;
}

/** A listener on the port; undefined when another process uses it. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    probe.listen(port, "127.0.0.1", () => resolve(probe));
  });
}

/** Whether something accepts connections on a port of the loopback interface. */
export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(1000, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
