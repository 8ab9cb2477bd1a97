// The last runs of every route, in memory: bounded per route, in all, and in bytes. Kept when a route goes, until pushed out.
import type { Exchange, Run } from "@sluice/engine";
import type { RunFacts } from "./run-facts.ts";
import { RunLane } from "./run-lane.ts";
import { RunRecord } from "./run-record.ts";

export interface RunHistoryLimits {
  readonly perRoute: number;
  readonly total: number;
  readonly bytes: number;
}

export interface RunFilter {
  readonly routeId?: string | undefined;
  readonly flowId?: string | undefined;
  readonly status?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

export interface RunHistory {
  started(run: Run, exchange: Exchange): void;
  ended(run: Run, exchange: Exchange): void;
  /** Takes in a run of another process that is over; one that is here already stays as it is. */
  adopt(run: RunFacts): void;
  /** Newest first; `total` counts all that match. Runs in `without` are left out. */
  list(filter: RunFilter, without?: ReadonlySet<string>): { readonly runs: readonly RunFacts[]; readonly total: number };
  find(id: string): RunFacts | undefined;
  /** Those of these runs that are here. */
  held(ids: ReadonlySet<string>): ReadonlySet<string>;
  readonly size: number;
  /** Estimated memory of all that is kept. */
  readonly bytes: number;
}

export function createRunHistory(limits: RunHistoryLimits): RunHistory {
  const lanes = new Map<string, RunLane>();
  let total = 0;
  let bytes = 0;

  function laneOf(routeId: string): RunLane {
    let lane = lanes.get(routeId);
    if (lane === undefined) lanes.set(routeId, (lane = new RunLane(limits.perRoute)));
    return lane;
  }

  /** A run that is pushed out while it goes on keeps its record, which is nobody else's then. */
  function forget(record: RunRecord): void {
    bytes -= record.bytes;
    if (record.run !== undefined) record.run.record = undefined;
  }

  /** Over the common bounds the longest lane gives: a busy route never pushes out the few runs of a quiet one. */
  function shrink(): void {
    while (total > limits.total || (bytes > limits.bytes && total > 1)) {
      let longest: [string, RunLane] | undefined;
      for (const entry of lanes) if (longest === undefined || entry[1].length > longest[1].length) longest = entry;
      if (longest === undefined) return;
      const [routeId, lane] = longest;
      const surplus = Math.max(1, Math.floor(lane.length / 8));
      for (let count = 0; count < surplus && (total > limits.total || bytes > limits.bytes); count++) {
        forget(lane.oldest as RunRecord);
        lane.dropOldest();
        total--;
      }
      if (lane.length === 0) lanes.delete(routeId);
    }
  }

  function* all(routeId: string | undefined): Iterable<RunRecord> {
    for (const [id, lane] of lanes) if (routeId === undefined || id === routeId) yield* lane;
  }

  function keep(lane: RunLane, record: RunRecord): void {
    if (lane.isFull) lane.replaceOldest(record);
    else {
      lane.push(record);
      total++;
    }
    bytes += record.bytes;
    if (total > limits.total || bytes > limits.bytes) shrink();
  }

  /** What is to be forgotten for the next run of this route, if anything. */
  function makeRoom(lane: RunLane): RunRecord | undefined {
    if (!lane.isFull) return undefined;
    const oldest = lane.oldest as RunRecord;
    forget(oldest);
    return oldest;
  }

  return {
    started(run, exchange) {
      const lane = laneOf(run.route.id);
      const oldest = makeRoom(lane);
      const record = oldest === undefined || oldest.run !== undefined ? new RunRecord() : oldest;
      record.begin(run, exchange);
      keep(lane, record);
    },
    adopt(run) {
      const lane = laneOf(run.route.id);
      for (const known of lane) if (known.id === run.id) return;
      makeRoom(lane);
      keep(lane, RunRecord.of(run));
    },
    ended(run, exchange) {
      const record = run.record as RunRecord | undefined;
      // Only the record that is still this run's, and was not ended before.
      if (record?.run !== run) return;
      run.record = undefined;
      bytes += record.end(run, exchange);
    },
    list(filter, without = new Set()) {
      const found = [...all(filter.routeId)]
        .filter((record) => matches(record, filter))
        .map((record) => ({ record, id: record.id }))
        .filter(({ id }) => !without.has(id));
      found.sort((a, b) => b.record.startedAt - a.record.startedAt || (a.id < b.id ? 1 : -1));
      return { runs: found.slice(0, filter.limit).map(({ record }) => record.facts()), total: found.length };
    },
    find(id) {
      for (const record of all(undefined)) if (record.id === id) return record.facts();
      return undefined;
    },
    held(ids) {
      return new Set([...all(undefined)].map((record) => record.id).filter((id) => ids.has(id)));
    },
    get size() {
      return total;
    },
    get bytes() {
      return bytes;
    },
  };
}

function matches(record: RunRecord, { flowId, status, correlationId, sessionId, since, until }: RunFilter): boolean {
  return (
    (flowId === undefined || record.route.flowId === flowId) &&
    (status === undefined || record.status === status) &&
    (correlationId === undefined || record.correlationId === correlationId) &&
    (sessionId === undefined || record.sessionId === sessionId) &&
    (since === undefined || record.startedAt >= since) &&
    (until === undefined || record.startedAt <= until)
  );
}
