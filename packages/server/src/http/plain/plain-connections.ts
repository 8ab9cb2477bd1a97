// All plain connections of a listener: who has been silent too long, and who can be closed when the end comes.
import type { Socket } from "node:net";
import { HttpError } from "../http-error.ts";
import { endSocket } from "../refuse.ts";
import { PlainConnection, type PlainConnectionParts } from "./plain-connection.ts";

/** Kept open for longer than was promised: a client that is a little slow must not send its request to a closed door. */
const keptLongerMs = 5_000;
/** A connection that has been silent for so many looks keeps nothing for speed. */
const forgetLooks = 5;

export interface PlainConnections {
  take(socket: Socket): void;
  /** Closes those between two requests. */
  closeIdle(): void;
  stop(): void;
}

export function plainConnections(parts: Omit<PlainConnectionParts, "left">): PlainConnections {
  const { limits } = parts.scope;
  const open = new Set<PlainConnection>();
  const connectionParts: PlainConnectionParts = { ...parts, left: (connection) => void open.delete(connection) };
  const looksOf = (ms: number): number => Math.ceil(ms / limits.checkIntervalMs);
  const unusedLooks = looksOf(Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs));
  const keptLooks = looksOf(limits.keepAliveTimeoutMs + Math.min(limits.keepAliveTimeoutMs, keptLongerMs));
  const timer = setInterval(sweep, limits.checkIntervalMs);
  timer.unref();

  function sweep(): void {
    for (const connection of open) {
      if (++connection.idleLooks === forgetLooks) connection.forget();
      // Whoever sends a body late gets node's patience, and its limit.
      if (connection.awaitsBody) {
        if (connection.idleLooks > 1) connection.handOverBegun();
      } else if (connection.isIdle && connection.idleLooks > (connection.isUsed ? keptLooks : unusedLooks)) end(connection);
    }
  }

  function end(connection: PlainConnection): void {
    open.delete(connection);
    if (connection.isUsed) connection.socket.destroy();
    else endSocket(connection.socket, new HttpError(408, "the request took too long to arrive"));
  }

  return {
    take: (socket) => void open.add(new PlainConnection(socket, connectionParts)),
    closeIdle() {
      for (const connection of open) if (connection.isIdle) connection.socket.destroy();
    },
    stop: () => clearInterval(timer),
  };
}
