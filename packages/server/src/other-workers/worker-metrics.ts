// Data about another worker or node: its metrics and runs, and the exit of a worker.
import type { SourceEvent } from "@sluice/engine";
import type { HttpByteMetrics } from "../http/http-bytes.ts";
import type { RunPosition } from "../runs/run-history.ts";
import type { RunIdentity } from "./run-identity.ts";

/** The metrics of another worker or node. */
export interface WorkerMetrics {
  readonly pid: number;
  readonly startedAt: number;
  readonly connections: number;
  readonly webhookCalls: number;
  readonly httpBytes: HttpByteMetrics;
  readonly counts: readonly RouteMetrics[];
  readonly routes: readonly RouteStatsSnapshot[];
  readonly sources: readonly SourceMetrics[];
}

/** Messages that sources of a scheme received, and how they were settled. */
export interface SourceMetrics {
  readonly scheme: string;
  readonly events: Readonly<Record<SourceEvent, number>>;
}

export interface RouteMetrics {
  readonly routeId: string;
  readonly flowId: string;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly discarded: number;
  readonly redeliveries: number;
  readonly durationMs: number;
  readonly buckets: readonly number[];
}

export interface RouteStatsSnapshot {
  readonly id: string;
  /** Hash of the flow version these statistics belong to. */
  readonly flowHash: string;
  readonly inflight: number;
  readonly total: number;
  readonly failed: number;
  readonly lastRunAt: number;
  readonly lastError: string | undefined;
}

export interface FoundRuns {
  readonly runs: readonly Readonly<Record<string, unknown>>[];
  /** All matches; with a search text, those found so far. */
  readonly total: number;
  /** The last run that was read, unless it is the oldest one. */
  readonly stopped: RunPosition | undefined;
}

/** A worker exited unexpectedly. */
export interface WorkerExit {
  readonly worker: number;
  readonly pid: number;
  /** Signal or exit code. */
  readonly how: string;
  readonly at: number;
  /** Its in-flight runs, as last reported. */
  readonly runs: readonly RunIdentity[];
}
