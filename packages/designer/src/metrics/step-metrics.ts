// Metrics of a deployed flow by step, from its latest runs and route counters.
import type { Health, Run, RunStep } from "@sluice/client";
import { everyStep, pathKey, type Outline, type RouteOutline } from "@sluice/model";

export interface StepMetrics {
  /** Number of messages in the time window, as far as their runs are stored. */
  readonly messages: number;
  readonly perMinute: number;
  readonly failed: number;
  /** p95 duration; undefined until a message has completed. */
  readonly p95Ms: number | undefined;
}

export interface TrafficData {
  /** The latest runs of the flow, in any order. */
  readonly runs: readonly Run[];
  readonly health: Pick<Health, "startedAt" | "uptime" | "routes">;
  /** The deployed version: runs of earlier versions are ignored. */
  readonly deployed: { readonly hash: string; readonly lastModified: string };
}

const minuteMs = 60_000;

/** The time window of the metrics. */
const windowMinutes = 5;

/** The metrics of every trigger and step with messages, by path key. */
export function stepMetrics(traffic: TrafficData, outline: Outline): ReadonlyMap<string, StepMetrics> {
  // Time by the clock of the runtime, which also sets the times of runs.
  const now = Date.parse(traffic.health.startedAt) + traffic.health.uptime * 1_000;
  const metrics = new Map<string, StepMetrics>();
  for (const route of outline.routes) {
    const storedRuns = traffic.runs.filter(({ routeId }) => routeId === route.id);
    const totalRuns = traffic.health.routes.find(({ id }) => id === route.id)?.total ?? 0;
    const from = Math.max(now - windowMinutes * minuteMs, Date.parse(traffic.deployed.lastModified));
    const runs = storedRuns.filter(
      ({ flowHash, sessionId, startedAt }) => flowHash === traffic.deployed.hash && (sessionId ?? null) === null && Date.parse(startedAt) >= from,
    );
    if (runs.length === 0) continue;
    const minutes = minutesCovered(storedRuns, totalRuns, from, now);
    for (const [key, tally] of talliesOf(runs, route)) metrics.set(key, tally.metrics(minutes));
  }
  return metrics;
}

/**
 * The time covered by the stored runs: since the oldest one if the runtime evicted some; otherwise the whole window, but at least a minute, so that
 * the first message after a deployment does not show as a high rate.
 */
function minutesCovered(storedRuns: readonly Run[], totalRuns: number, from: number, now: number): number {
  const oldest = Math.min(...storedRuns.map(({ startedAt }) => Date.parse(startedAt)));
  if (totalRuns > storedRuns.length && oldest > from) return Math.max(1, now - oldest) / minuteMs;
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

/** The cards of the steps that failed themselves, without the steps that enclose them. */
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

  metrics(minutes: number): StepMetrics {
    const sorted = this.#durations.toSorted((left, right) => left - right);
    return { messages: this.#messages, perMinute: this.#messages / minutes, failed: this.#failed, p95Ms: sorted[Math.ceil(sorted.length * 0.95) - 1] };
  }
}
