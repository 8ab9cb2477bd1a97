import type { WorkerLike } from "./simulator.ts";

/** Starts the engine in a Web Worker; loaded on first use. */
export function openWorker(): WorkerLike {
  return new Worker(new URL("./simulation.worker.ts", import.meta.url), { type: "module", name: "simulation" });
}
