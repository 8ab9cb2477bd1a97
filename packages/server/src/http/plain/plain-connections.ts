// All plain connections of a listener: who has been silent too long, and who can be closed when the end comes.
import type { Socket } from "node:net";
import { PlainConnection, type PlainConnectionParts } from "./plain-connection.ts";

/** Kept open for longer than was promised: a client that is a little slow must not send its request to a closed door. */
const keptLongerMs = 5_000;
/** A connection that has been silent for so many looks keeps nothing for speed. */
const forgetLooks = 5;

export interface PlainConnections {
  take(socket: Socket): void;
  /** The end begins: whoever has sent a head is node's now, and counts as being served. */
  beginEnd(): void;
  /** Closes those between two requests. */
  closeIdle(): void;
  stop(): void;
}

export function plainConnections(parts: Omit<PlainConnectionParts, "left">): PlainConnections {
  const { limits } = parts.scope;
  const open = new Set<PlainConnection>();
  const connectionParts: PlainConnectionParts = { ...parts, left: (connection) => void open.delete(connection) };
  // As with node, no time is no limit.
  const looksOf = (ms: number): number => (ms === 0 ? Infinity : Math.ceil(ms / limits.checkIntervalMs));
  const unusedLooks = looksOf(Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs));
  const keptLooks = looksOf(limits.keepAliveTimeoutMs + Math.min(limits.keepAliveTimeoutMs, keptLongerMs));
  const timer = setInterval(sweep, limits.checkIntervalMs);
  timer.unref();

  function sweep(): void {
    for (const connection of open) {
      if (!connection.isIdle) continue;
      if (++connection.idleLooks === forgetLooks) connection.forget();
      if (connection.idleLooks > (connection.isUsed ? keptLooks : unusedLooks)) connection.end();
    }
  }

  return {
    take: (socket) => void open.add(new PlainConnection(socket, connectionParts)),
    beginEnd() {
      for (const connection of open) connection.handOverBegun();
    },
    closeIdle() {
      for (const connection of open) if (connection.isIdle) connection.socket.destroy();
    },
    stop: () => clearInterval(timer),
  };
}
