// Metrics of a deployed flow in the format of cards.
import type { CardFacts, CardFactsSource } from "../canvas/card-facts.ts";
import { strings } from "../strings.ts";
import { shownMs } from "../trial/recorded-run.ts";
import type { StepMetrics } from "./step-metrics.ts";
import type { SeenStep } from "./trace-counts.ts";

const words = strings.metrics;

export interface MetricFacts extends CardFactsSource {
  /** Updates the metrics; cards with unchanged metrics are not re-rendered. */
  show(metrics: ReadonlyMap<string, StepMetrics>): void;
  /** Updates the trace counts. */
  showCounts(seen: ReadonlyMap<string, SeenStep>): void;
}

export function metricFacts(): MetricFacts {
  let facts: ReadonlyMap<string, CardFacts> = new Map();
  let polled: ReadonlyMap<string, StepMetrics> = new Map();
  let seen: ReadonlyMap<string, SeenStep> = new Map();
  const listeners = new Set<() => void>();
  const change = (): void => {
    const before = facts;
    facts = new Map([...new Set([...polled.keys(), ...seen.keys()])].map((key) => [key, kept(before.get(key), factsOf(polled.get(key), seen.get(key)))]));
    for (const notify of listeners) notify();
  };
  return {
    get: (key) => facts.get(key),
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    show(metrics) {
      polled = metrics;
      change();
    },
    showCounts(counted) {
      seen = counted;
      change();
    },
  };
}

function factsOf(metrics: StepMetrics | undefined, seen: SeenStep | undefined): CardFacts {
  const p95 = metrics?.p95Ms === undefined ? undefined : `${shownMs(metrics.p95Ms)} ms`;
  return {
    metrics: {
      rate: metrics === undefined ? "" : shownRate(metrics.perMinute),
      failed: Math.max(metrics?.failed ?? 0, seen?.failed ?? 0),
      p95,
      tooltip: metrics === undefined ? "" : words.lastFiveMinutes(metrics.messages, metrics.failed, p95),
      ...(seen === undefined ? {} : { seen: { count: seen.count, tooltip: words.seen(seen.count, seen.failed, `${shownMs(seen.lastMs)} ms`) } }),
    },
  };
}

const kept = (old: CardFacts | undefined, made: CardFacts): CardFacts => {
  const [one, other] = [old?.metrics, made.metrics];
  return one?.rate === other?.rate && one?.tooltip === other?.tooltip && one?.failed === other?.failed && one?.seen?.tooltip === other?.seen?.tooltip
    ? (old ?? made)
    : made;
};

/** Per minute, or per second for high rates. */
export function shownRate(perMinute: number): string {
  if (perMinute < 120) return words.perMinute(perMinute < 10 ? String(Math.round(perMinute * 10) / 10) : String(Math.round(perMinute)));
  const perSecond = perMinute / 60;
  return words.perSecond(perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond)));
}
