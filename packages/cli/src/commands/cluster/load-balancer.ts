// A load balancer for evaluation: each new TCP connection goes to the next node that is ready.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

const probeIntervalMs = 500;
const probeTimeoutMs = 2_000;
const connectTimeoutMs = 2_000;
const maxConnections = 10_000;
const unavailableText = '{"error":"unavailable","message":"no node of the cluster is ready"}';
const unavailable = `HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: ${unavailableText.length}\r\nConnection: close\r\n\r\n${unavailableText}`;

export interface LoadBalancer {
  readonly port: number;
  close(): Promise<void>;
}

/** `nodes` returns the current base URLs; a node that is not running has none. */
export async function startLoadBalancer(host: string, port: number, nodes: () => readonly string[]): Promise<LoadBalancer> {
  let ready: readonly string[] = [];
  let acceptedCount = 0;
  const clients = new Set<Socket>();

  const probe = async (): Promise<void> => {
    const urls = nodes();
    const results = await Promise.all(urls.map(isReady));
    ready = urls.filter((_, index) => results[index]);
  };
  await probe();
  let isClosed = false;
  let timer: NodeJS.Timeout;
  const scheduleProbe = (): void => {
    timer = setTimeout(() => void probe().then(() => (isClosed ? undefined : scheduleProbe())), probeIntervalMs);
  };
  scheduleProbe();

  /** Tries the ready nodes in turn, because one may have exited since the last probe. */
  const forward = (client: Socket, untried: readonly string[]): void => {
    const [next, ...rest] = untried;
    if (next === undefined) return void client.end(unavailable);
    const { hostname, port: nodePort } = new URL(next);
    const node = connect({ host: hostname, port: Number(nodePort), timeout: connectTimeoutMs, noDelay: true });
    const tryNext = (): void => {
      node.destroy();
      if (!client.destroyed) forward(client, rest);
    };
    node.once("error", tryNext).once("timeout", tryNext);
    node.once("connect", () => {
      node.off("error", tryNext).off("timeout", tryNext);
      node.setTimeout(0);
      node.on("error", () => client.destroy());
      node.on("close", () => client.destroy());
      client.on("close", () => node.destroy());
      node.pipe(client);
      client.pipe(node);
    });
  };

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    client.on("error", () => client.destroy());
    const start = acceptedCount++ % Math.max(1, ready.length);
    forward(client, [...ready.slice(start), ...ready.slice(0, start)]);
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      isClosed = true;
      clearTimeout(timer);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of clients) socket.destroy();
      return closed;
    },
  };
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/_api/health?probe=ready`, { signal: AbortSignal.timeout(probeTimeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
