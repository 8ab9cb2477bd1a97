// Metrics of a deployed flow as card details.
import type { CardDetails, CardDetailsSource } from "../canvas/card-details.ts";
import { strings } from "../strings.ts";
import { formatMs } from "../trial/recorded-run.ts";
import type { StepMetrics } from "./step-metrics.ts";
import type { TraceCount } from "./trace-counts.ts";

const text = strings.metrics;

export interface MetricDetails extends CardDetailsSource {
  /** Updates the metrics; cards with unchanged metrics are not re-rendered. */
  show(metrics: ReadonlyMap<string, StepMetrics>): void;
  /** Updates the trace counts. */
  showCounts(seen: ReadonlyMap<string, TraceCount>): void;
}

export function metricDetails(): MetricDetails {
  let details: ReadonlyMap<string, CardDetails> = new Map();
  let polled: ReadonlyMap<string, StepMetrics> = new Map();
  let seen: ReadonlyMap<string, TraceCount> = new Map();
  const listeners = new Set<() => void>();
  const change = (): void => {
    const previous = details;
    details = new Map(
      [...new Set([...polled.keys(), ...seen.keys()])].map((key) => [key, reuse(previous.get(key), detailsOf(polled.get(key), seen.get(key)))]),
    );
    for (const notify of listeners) notify();
  };
  return {
    get: (key) => details.get(key),
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    show(metrics) {
      polled = metrics;
      change();
    },
    showCounts(counts) {
      seen = counts;
      change();
    },
  };
}

function detailsOf(metrics: StepMetrics | undefined, seen: TraceCount | undefined): CardDetails {
  const p95 = metrics?.p95Ms === undefined ? undefined : `${formatMs(metrics.p95Ms)} ms`;
  return {
    metrics: {
      rate: metrics === undefined ? "" : formatRate(metrics.perMinute),
      failed: Math.max(metrics?.failed ?? 0, seen?.failed ?? 0),
      p95,
      tooltip: metrics === undefined ? "" : text.lastFiveMinutes(metrics.messages, metrics.failed, p95),
      ...(seen === undefined ? {} : { seen: { count: seen.count, tooltip: text.seen(seen.count, seen.failed, `${formatMs(seen.lastMs)} ms`) } }),
    },
  };
}

const reuse = (old: CardDetails | undefined, next: CardDetails): CardDetails => {
  const [before, after] = [old?.metrics, next.metrics];
  return before?.rate === after?.rate &&
    before?.tooltip === after?.tooltip &&
    before?.failed === after?.failed &&
    before?.seen?.tooltip === after?.seen?.tooltip
    ? (old ?? next)
    : next;
};

/** Per minute, or per second for high rates. */
export function formatRate(perMinute: number): string {
  if (perMinute < 120) return text.perMinute(perMinute < 10 ? String(Math.round(perMinute * 10) / 10) : String(Math.round(perMinute)));
  const perSecond = perMinute / 60;
  return text.perSecond(perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond)));
}
