import type { WorkerLike } from "./simulator.ts";

/** The engine in a thread of its own; loaded when it is first asked for. */
export function openWorker(): WorkerLike {
  return new Worker(new URL("./simulation.worker.ts", import.meta.url), { type: "module", name: "simulation" });
}
