// The followers that are ready, and the accumulated counts of those that exited.
import { addCounts } from "../metrics/run-counts.ts";
import type { Calls } from "./calls.ts";
import type { RouteMetrics, RouteStatsSnapshot, WorkerMetrics } from "../other-workers/worker-metrics.ts";
import type { ChangedMetrics } from "./messages.ts";

/** The metrics last reported by a worker. */
interface Reported {
  readonly counts: Map<string, RouteMetrics>;
  readonly routes: Map<string, RouteStatsSnapshot>;
}

export class Followers {
  readonly #calls: Calls;
  readonly #serving = new Set<number>();
  readonly #reported = new Map<number, Reported>();
  /** Summed counts of exited workers: counters of the service must never decrease. */
  exitedCounts: readonly RouteMetrics[] = [];

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  get size(): number {
    return this.#serving.size;
  }

  [Symbol.iterator](): IterableIterator<number> {
    return new Set(this.#serving).values();
  }

  has(follower: number): boolean {
    return this.#serving.has(follower);
  }

  add(follower: number): void {
    this.#serving.add(follower);
  }

  delete(follower: number): void {
    this.#serving.delete(follower);
  }

  /** Stores the current totals of a worker's changed routes. */
  record(follower: number, { counts, routes }: ChangedMetrics): void {
    let reported = this.#reported.get(follower);
    if (reported === undefined) this.#reported.set(follower, (reported = { counts: new Map(), routes: new Map() }));
    for (const count of counts) reported.counts.set(`${count.flowId} ${count.routeId}`, count);
    for (const route of routes) reported.routes.set(route.id, route);
  }

  /** Moves a worker's counts to `exitedCounts`; returns its last route statistics. */
  removeExited(follower: number): readonly RouteStatsSnapshot[] {
    this.#serving.delete(follower);
    this.#calls.failPending(follower);
    const reported = this.#reported.get(follower);
    this.#reported.delete(follower);
    if (reported === undefined) return [];
    this.exitedCounts = addCounts([this.exitedCounts, [...reported.counts.values()]]);
    return [...reported.routes.values()];
  }

  /** Calls all followers; the result omits failed calls. */
  async callAll<T>(name: string, data: unknown, withinMs: number): Promise<readonly T[]> {
    const responses = await Promise.all(
      [...this.#serving].map((follower) =>
        this.#calls.call<T>(follower, name, data, withinMs).then(
          (response) => [response],
          () => [],
        ),
      ),
    );
    return responses.flat();
  }

  async metrics(withinMs: number): Promise<readonly WorkerMetrics[]> {
    const responses = await Promise.all(
      [...this.#serving].map((follower) =>
        this.#calls.call<WorkerMetrics>(follower, "metrics", undefined, withinMs).then(
          (metrics) => {
            if (this.#serving.has(follower)) this.record(follower, metrics);
            return [metrics];
          },
          () => [],
        ),
      ),
    );
    return responses.flat();
  }
}
