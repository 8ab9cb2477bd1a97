// Graceful shutdown of a server.
import type { Socket } from "node:net";
import type { AcceptingServer } from "./accepting-server.ts";

export interface DrainCounts {
  /** Requests without a reply at the deadline. */
  readonly unanswered: number;
  /** Connections closed forcibly at the deadline. */
  readonly cut: number;
}

export interface DrainScope {
  readonly deadlineMs: number;
  readonly sockets: ReadonlySet<Socket>;
  /** Requests without a reply yet. */
  inFlight(): number;
  /** Closes idle connections that node:http does not track; called repeatedly. */
  closeIdle(): void;
}

/** Gives clients that are about to reuse their connection time to see `Connection: close`. */
const settleMs = 150;
const pollMs = 20;
/** Long: on a busy machine 24 clients that open new connections all the time filled the backlog for more than half a second, and were reset. */
const acceptTimeoutMs = 5_000;

/** Waits until no request is in flight, stops listening, and closes the remaining connections at the deadline. */
export async function drainServer(server: AcceptingServer, scope: DrainScope): Promise<DrainCounts> {
  const deadline = performance.now() + scope.deadlineMs;
  const settledAt = Math.min(deadline, performance.now() + settleMs);
  while (performance.now() < deadline && (scope.inFlight() > 0 || isSending(scope.sockets) || performance.now() < settledAt)) await sleep(pollMs);
  const unanswered = scope.inFlight();
  if (!server.listening) return { unanswered, cut: 0 };
  await acceptAll(server, deadline);
  let isClosed = false;
  const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => void (isClosed = true));
  while (!isClosed && performance.now() < deadline) {
    scope.closeIdle();
    await Promise.race([closed, sleep(pollMs)]);
  }
  const cut = isClosed ? 0 : scope.sockets.size;
  for (const socket of scope.sockets) socket.destroy();
  await closed;
  return { unanswered, cut };
}

/**
 * Waits until every established connection is accepted, because the kernel resets the others when the process stops listening. The
 * backlog is shortened first so that it drains under load too; a client that finds it full retries after a second and is refused then.
 */
async function acceptAll(server: AcceptingServer, deadline: number): Promise<void> {
  (server as AcceptingServer & { _handle?: { listen?(backlog: number): number } })._handle?.listen?.(0);
  const until = Math.min(deadline, performance.now() + acceptTimeoutMs);
  // One connection is accepted per event loop turn, so a turn in which none is accepted means that the backlog is empty.
  for (let quietTurns = 0; quietTurns < 2 && performance.now() < until;) {
    const acceptedBefore = server.accepted;
    await new Promise((resolve) => setImmediate(resolve));
    quietTurns = server.accepted === acceptedBefore ? quietTurns + 1 : 0;
  }
}

/** True while replies are being sent: closing the connection would lose bytes that the kernel has not accepted yet. */
function isSending(sockets: ReadonlySet<Socket>): boolean {
  for (const socket of sockets) if (socket.writableLength > 0) return true;
  return false;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
