// Closing a server without losing what it has accepted.
import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface DrainCounts {
  /** Requests still without a reply at the deadline. */
  readonly unanswered: number;
  /** Connections that had to be cut at the deadline. */
  readonly cut: number;
}

export interface DrainScope {
  readonly deadlineMs: number;
  readonly sockets: ReadonlySet<Socket>;
  /** Requests whose reply is still to come. */
  underWay(): number;
  /** Closes the connections between two requests that node does not know. */
  closeIdle(): void;
}

/** Clients that are about to use their connection again learn from the last reply that it closes. */
const settleMs = 150;
const pollMs = 20;

/** Waits until nothing is under way, stops listening, and cuts what is left at the deadline. */
export async function drainServer(server: Server, scope: DrainScope): Promise<DrainCounts> {
  const deadline = performance.now() + scope.deadlineMs;
  const settled = Math.min(deadline, performance.now() + settleMs);
  while (performance.now() < deadline && (scope.underWay() > 0 || isSending(scope.sockets) || performance.now() < settled)) await sleep(pollMs);
  const unanswered = scope.underWay();
  if (!server.listening) return { unanswered, cut: 0 };
  let isClosed = false;
  const closed = new Promise<void>((resolve) => server.close(() => resolve())).then(() => void (isClosed = true));
  scope.closeIdle();
  while (!isClosed && performance.now() < deadline) await Promise.race([closed, sleep(pollMs)]);
  const cut = isClosed ? 0 : scope.sockets.size;
  for (const socket of scope.sockets) socket.destroy();
  await closed;
  return { unanswered, cut };
}

/** Closing an idle connection would lose the rest of a reply that the kernel has not taken yet. */
function isSending(sockets: ReadonlySet<Socket>): boolean {
  for (const socket of sockets) if (socket.writableLength > 0) return true;
  return false;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
