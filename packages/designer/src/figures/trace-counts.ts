// What the trace of a deployed flow tells while somebody looks: how often each step was passed since then, and how long the last
// time took. One number per step, however many events there are.
import { everyStep, pathKey, type Outline } from "../document/outline.ts";

export interface SeenStep {
  readonly count: number;
  readonly failed: number;
  readonly lastMs: number;
}

const longestEvent = 16_384;
/** Names beyond these are not of the flow that is open. */
const mostSteps = 5_000;
const ends: ReadonlySet<unknown> = new Set(["step.completed", "step.failed", "run.completed", "run.failed"]);

export class TraceCounts {
  readonly #seen = new Map<string, SeenStep>();

  /** Takes the data of one event; what is no end of a step or a run does not count. */
  add(data: string): void {
    if (data.length > longestEvent) return;
    const event = parsed(data);
    if (event === undefined || !ends.has(event["type"])) return;
    const { type, routeId, stepId, durationMs } = event;
    const key = String(type).startsWith("run.") ? `${String(routeId)}/` : `${String(routeId)}/${String(stepId)}`;
    const before = this.#seen.get(key);
    if (before === undefined && this.#seen.size >= mostSteps) return;
    const failed = (before?.failed ?? 0) + (String(type).endsWith(".failed") ? 1 : 0);
    this.#seen.set(key, { count: (before?.count ?? 0) + 1, failed, lastMs: typeof durationMs === "number" ? durationMs : 0 });
  }

  /** By the path keys of the cards. */
  byCard(outline: Outline): ReadonlyMap<string, SeenStep> {
    const cards = new Map<string, SeenStep>();
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

function parsed(data: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return (JSON.parse(data) as Record<string, unknown> | null) ?? undefined;
  } catch {
    return undefined;
  }
}
