// Tracks connections on their way to a worker. Node's cluster module loses those whose worker exits before accepting them, and their
// clients would wait forever. Unaccepted connections are passed to another worker.
import type { Worker } from "node:cluster";

interface Handoff {
  readonly message: { readonly act?: string; readonly seq?: number };
  readonly handle: { close(): void };
}

const retryEveryMs = 20;
/** A connection is closed if no worker accepts it for this long. */
const waitMs = 15_000;

/** Tracks the connections passed to a worker. */
export function trackHandoffs(worker: Worker, findServingWorker: () => Worker | undefined): void {
  const waiting = new Map<number, Handoff>();
  const { process } = worker;
  const send = process.send.bind(process) as (...parameters: unknown[]) => boolean;
  process.send = ((message: Handoff["message"], handle?: Handoff["handle"], ...rest: unknown[]) => {
    if (handle !== undefined && message.act === "newconn" && message.seq !== undefined) waiting.set(message.seq, { message, handle });
    return send(message, handle, ...rest);
  }) as typeof process.send;
  (process as NodeJS.EventEmitter).on("internalMessage", ({ ack }: { ack?: number }) => {
    if (ack !== undefined) waiting.delete(ack);
  });
  worker.once("exit", () => {
    for (const handoff of waiting.values()) passTo(findServingWorker, handoff, performance.now() + waitMs);
    waiting.clear();
  });
}

/** Sends the same message again: its acknowledgement completes the original handoff. */
function passTo(findServingWorker: () => Worker | undefined, handoff: Handoff, until: number): void {
  const worker = findServingWorker();
  if (worker !== undefined) worker.process.send(handoff.message, handoff.handle as never);
  else if (performance.now() > until) handoff.handle.close();
  else setTimeout(() => passTo(findServingWorker, handoff, until), retryEveryMs);
}
