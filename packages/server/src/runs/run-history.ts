// The last runs of every route, in memory: bounded per route, in all, and in bytes. Kept when a route goes, until pushed out.
import type { Exchange, Run } from "@sluice/engine";
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
  adopt(record: RunRecord): void;
  /** Newest first; `total` counts all that match. */
  list(filter: RunFilter): { readonly runs: readonly RunRecord[]; readonly total: number };
  find(id: string): RunRecord | undefined;
  readonly size: number;
}

/** The records of one route, oldest first; the front moves on instead of shifting the list. */
interface Lane {
  records: (RunRecord | undefined)[];
  front: number;
}

export function createRunHistory(limits: RunHistoryLimits): RunHistory {
  const lanes = new Map<string, Lane>();
  let total = 0;
  let bytes = 0;

  const lengthOf = (lane: Lane): number => lane.records.length - lane.front;

  function dropOldest(routeId: string, lane: Lane): void {
    const oldest = lane.records[lane.front];
    lane.records[lane.front++] = undefined;
    total--;
    bytes -= oldest?.bytes ?? 0;
    // A record that was dropped while its run went on must not be counted again at its end.
    if (oldest?.run !== undefined) oldest.run.record = undefined;
    if (lane.front > 64 && lane.front * 2 > lane.records.length) {
      lane.records = lane.records.slice(lane.front);
      lane.front = 0;
    }
    if (lengthOf(lane) === 0) lanes.delete(routeId);
  }

  /** Over the common bounds the longest lane gives: a busy route never pushes out the few runs of a quiet one. */
  function shrink(): void {
    while (total > limits.total || (bytes > limits.bytes && total > 1)) {
      let longest: [string, Lane] | undefined;
      for (const entry of lanes) if (longest === undefined || lengthOf(entry[1]) > lengthOf(longest[1])) longest = entry;
      if (longest === undefined) return;
      const surplus = Math.max(1, Math.floor(lengthOf(longest[1]) / 8));
      for (let count = 0; count < surplus && (total > limits.total || bytes > limits.bytes); count++) dropOldest(...longest);
    }
  }

  function* all(routeId: string | undefined): Iterable<RunRecord> {
    for (const [id, lane] of lanes) {
      if (routeId !== undefined && id !== routeId) continue;
      for (let index = lane.records.length - 1; index >= lane.front; index--) yield lane.records[index] as RunRecord;
    }
  }

  function keep(record: RunRecord): void {
    const { id } = record.route;
    let lane = lanes.get(id);
    if (lane === undefined) lanes.set(id, (lane = { records: [], front: 0 }));
    lane.records.push(record);
    total++;
    bytes += record.bytes;
    if (lengthOf(lane) > limits.perRoute) dropOldest(id, lane);
    if (total > limits.total || bytes > limits.bytes) shrink();
  }

  return {
    started(run, exchange) {
      const record = new RunRecord(run, exchange);
      run.record = record;
      keep(record);
    },
    adopt(record) {
      for (const known of all(record.route.id)) if (known.id === record.id) return;
      keep(record);
    },
    ended(run, exchange) {
      const record = run.record as RunRecord | undefined;
      if (record === undefined) return;
      run.record = undefined;
      bytes += record.end(run, exchange);
    },
    list(filter) {
      const found = [...all(filter.routeId)].filter((record) => matches(record, filter));
      found.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
      return { runs: found.slice(0, filter.limit), total: found.length };
    },
    find(id) {
      for (const record of all(undefined)) if (record.id === id) return record;
      return undefined;
    },
    get size() {
      return total;
    },
  };
}

function matches(record: RunRecord, { flowId, status, correlationId, sessionId, since, until }: RunFilter): boolean {
  return (
    (flowId === undefined || record.route.flowId === flowId) &&
    (status === undefined || (record.run?.status ?? record.status) === status) &&
    (correlationId === undefined || record.correlationId === correlationId) &&
    (sessionId === undefined || record.sessionId === sessionId) &&
    (since === undefined || record.startedAt >= since) &&
    (until === undefined || record.startedAt <= until)
  );
}
