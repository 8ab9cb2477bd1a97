// Connections on their way to a worker. Node's cluster module forgets those whose worker dies before it has taken them, and their
// clients would wait for ever; they are kept here until they are taken, and given to another worker when that does not happen.
import type { Worker } from "node:cluster";

interface Handoff {
  readonly message: { readonly act?: string; readonly seq?: number };
  readonly handle: { close(): void };
}

const retryEveryMs = 20;
/** With nobody to take it for this long, a connection is closed. */
const patienceMs = 15_000;

/** Follows what is handed to a worker; `another` finds a worker that serves. */
export function followHandoffs(worker: Worker, another: () => Worker | undefined): void {
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
    for (const handoff of waiting.values()) giveTo(another, handoff, performance.now() + patienceMs);
    waiting.clear();
  });
}

/** The same message again: the answer ends the handoff that was begun with the worker before. */
function giveTo(another: () => Worker | undefined, handoff: Handoff, until: number): void {
  const worker = another();
  if (worker !== undefined) worker.process.send(handoff.message, handoff.handle as never);
  else if (performance.now() > until) handoff.handle.close();
  else setTimeout(() => giveTo(another, handoff, until), retryEveryMs);
}
