// How a deployed flow does, step by step: what the last runs and the counters of its routes tell about a few minutes.
import type { Health, Run, RunStep } from "@sluice/client";
import { everyStep, pathKey, type Outline, type RouteOutline } from "../document/outline.ts";

export interface StepFigures {
  /** How many messages came by in the time looked at, as far as their runs are kept. */
  readonly messages: number;
  readonly perMinute: number;
  readonly failed: number;
  /** 95 of 100 took at most this long; undefined while the first one is under way. */
  readonly p95Ms: number | undefined;
}

export interface Told {
  /** The newest runs of the flow, in any order. */
  readonly runs: readonly Run[];
  readonly health: Pick<Health, "startedAt" | "uptime" | "routes">;
  /** What runs now: runs of what ran before do not count. */
  readonly deployed: { readonly hash: string; readonly lastModified: string };
}

const minuteMs = 60_000;

/** The time the figures look back. */
const lookBackMinutes = 5;

/** The figures of every trigger and step something came by, by path key. */
export function stepFigures(told: Told, outline: Outline): ReadonlyMap<string, StepFigures> {
  // The runtime's clock, for its runs carry its times.
  const now = Date.parse(told.health.startedAt) + told.health.uptime * 1_000;
  const figures = new Map<string, StepFigures>();
  for (const route of outline.routes) {
    const kept = told.runs.filter(({ routeId }) => routeId === route.id);
    const counted = told.health.routes.find(({ id }) => id === route.id)?.total ?? 0;
    const from = Math.max(now - lookBackMinutes * minuteMs, Date.parse(told.deployed.lastModified));
    const runs = kept.filter(
      ({ flowHash, sessionId, startedAt }) => flowHash === told.deployed.hash && (sessionId ?? null) === null && Date.parse(startedAt) >= from,
    );
    if (runs.length === 0) continue;
    const minutes = minutesCovered(kept, counted, from, now);
    for (const [key, tally] of talliesOf(runs, route)) figures.set(key, tally.figures(minutes));
  }
  return figures;
}

/**
 * The time the kept runs stand for. When the runtime has let go of some, that is the time since the oldest it kept; otherwise the
 * whole time, but at least a minute, so that the first message after a deploy is no rush.
 */
function minutesCovered(kept: readonly Run[], counted: number, from: number, now: number): number {
  const oldest = Math.min(...kept.map(({ startedAt }) => Date.parse(startedAt)));
  if (counted > kept.length && oldest > from) return Math.max(1, now - oldest) / minuteMs;
  return Math.max(1, (now - from) / minuteMs);
}

function talliesOf(runs: readonly Run[], route: RouteOutline): ReadonlyMap<string, Tally> {
  const keys = new Map([...everyStep(route.steps)].map((step) => [step.id, pathKey(step.path)]));
  const tallies = new Map<string, Tally>();
  const tallyOf = (key: string): Tally => {
    const tally = tallies.get(key) ?? new Tally();
    tallies.set(key, tally);
    return tally;
  };
  for (const run of runs) {
    tallyOf(pathKey(route.from.path)).add(run.durationMs ?? undefined, run.status === "failed");
    const failed = failedKeys(run.steps, keys);
    for (const { stepId, durationMs, status } of run.steps) {
      const key = keys.get(stepId);
      if (key !== undefined) tallyOf(key).add(status === "running" ? undefined : durationMs, status === "failed" && failed.has(key));
    }
  }
  return tallies;
}

/** Where a run failed: a step around the one that failed did not fail by itself. */
function failedKeys(steps: readonly RunStep[], keys: ReadonlyMap<string, string>): ReadonlySet<string> {
  const failed = steps.flatMap(({ stepId, status }) => (status === "failed" ? (keys.get(stepId) ?? []) : []));
  return new Set(failed.filter((key) => !failed.some((inner) => inner.startsWith(`${key}/`))));
}

class Tally {
  #messages = 0;
  #failed = 0;
  readonly #durations: number[] = [];

  add(durationMs: number | undefined, hasFailed: boolean): void {
    this.#messages++;
    if (hasFailed) this.#failed++;
    if (durationMs !== undefined) this.#durations.push(durationMs);
  }

  figures(minutes: number): StepFigures {
    const sorted = this.#durations.toSorted((one, other) => one - other);
    return { messages: this.#messages, perMinute: this.#messages / minutes, failed: this.#failed, p95Ms: sorted[Math.ceil(sorted.length * 0.95) - 1] };
  }
}
