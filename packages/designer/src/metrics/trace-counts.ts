// Counts trace events of a deployed flow while the page is open: executions of each step and the last duration. Memory is one entry per step,
// independent of the number of events.
import type { TraceEvent } from "@sluice/client";
import { everyStep, pathKey, type Outline } from "@sluice/model";

export interface TraceCount {
  readonly count: number;
  readonly failed: number;
  readonly lastMs: number;
}

/** Limits the memory; no flow has this many steps. */
const maxSteps = 5_000;
const endEvents: ReadonlySet<string> = new Set(["step.completed", "step.failed", "run.completed", "run.failed"]);

export class TraceCounts {
  readonly #seen = new Map<string, TraceCount>();

  /** Counts one event; only the end of a step or a run counts. */
  add({ type, routeId, stepId, durationMs }: TraceEvent): void {
    if (!endEvents.has(type)) return;
    const key = type.startsWith("run.") ? `${routeId}/` : `${routeId}/${stepId}`;
    const existing = this.#seen.get(key);
    if (existing === undefined && this.#seen.size >= maxSteps) return;
    const failed = (existing?.failed ?? 0) + (type.endsWith(".failed") ? 1 : 0);
    this.#seen.set(key, { count: (existing?.count ?? 0) + 1, failed, lastMs: durationMs ?? 0 });
  }

  /** By path key of the cards. */
  byCard(outline: Outline): ReadonlyMap<string, TraceCount> {
    const cards = new Map<string, TraceCount>();
    if (this.#seen.size === 0) return cards;
    for (const route of outline.routes) {
      const run = this.#seen.get(`${route.id}/`);
      if (run !== undefined) cards.set(pathKey(route.from.path), run);
      for (const step of everyStep(route.steps)) {
        const seen = this.#seen.get(`${route.id}/${step.id}`);
        if (seen !== undefined) cards.set(pathKey(step.path), seen);
      }
    }
    return cards;
  }
}
