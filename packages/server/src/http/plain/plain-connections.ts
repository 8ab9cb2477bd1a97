// All plain connections of a listener: closes those that time out, and idle ones on shutdown.
import type { Socket } from "node:net";
import { PlainConnection, type PlainConnectionParts } from "./plain-connection.ts";

/** Grace period beyond the announced keep-alive timeout, so that a slightly late request does not hit a closed connection. */
const keepAliveGraceMs = 5_000;
/** Cached data is released after this many sweeps without a read. */
const cacheSweeps = 5;

/** How long draining waits for the first request of a new connection: closing it earlier would reset a client that is about to send. */
const firstRequestMs = 1_000;

export interface PlainConnections {
  add(socket: Socket): void;
  /** Starts draining: hands partial requests to node:http, where they count as in flight. */
  beginDrain(): void;
  /** Closes idle connections, and new ones that have been silent for a while. */
  closeIdle(): void;
  stop(): void;
}

export function plainConnections(parts: Omit<PlainConnectionParts, "released">): PlainConnections {
  const { limits } = parts.scope;
  const open = new Set<PlainConnection>();
  const connectionParts: PlainConnectionParts = { ...parts, released: (connection) => void open.delete(connection) };
  // As in node, 0 means no limit.
  const sweepsOf = (ms: number): number => (ms === 0 ? Infinity : Math.ceil(ms / limits.checkIntervalMs));
  const unusedSweeps = sweepsOf(Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs));
  const idleSweepLimit = sweepsOf(limits.keepAliveTimeoutMs + Math.min(limits.keepAliveTimeoutMs, keepAliveGraceMs));
  const timer = setInterval(sweep, limits.checkIntervalMs);
  timer.unref();

  function sweep(): void {
    for (const connection of open) {
      if (!connection.isIdle) continue;
      if (++connection.idleSweeps === cacheSweeps) connection.clearCache();
      if (connection.idleSweeps > (connection.isUsed ? idleSweepLimit : unusedSweeps)) connection.end();
    }
  }

  return {
    add: (socket) => void open.add(new PlainConnection(socket, connectionParts)),
    beginDrain() {
      for (const connection of open) connection.passPartialToNode();
    },
    closeIdle() {
      const openedBefore = performance.now() - firstRequestMs;
      for (const connection of open) if (connection.isIdle && (connection.isUsed || connection.openedAt < openedBefore)) connection.socket.destroy();
    },
    stop: () => clearInterval(timer),
  };
}
