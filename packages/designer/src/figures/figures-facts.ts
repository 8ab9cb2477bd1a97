// The figures of a deployed flow as cards show them.
import type { CardFacts, CardFactsSource } from "../canvas/card-facts.ts";
import { strings } from "../strings.ts";
import { shownMs } from "../trial/recorded-run.ts";
import type { StepFigures } from "./step-figures.ts";
import type { SeenStep } from "./trace-counts.ts";

const words = strings.figures;

export interface FiguresFacts extends CardFactsSource {
  /** Takes over newer figures; cards whose own are the same are not drawn again. */
  show(figures: ReadonlyMap<string, StepFigures>): void;
  /** Takes over what the trace counted. */
  saw(seen: ReadonlyMap<string, SeenStep>): void;
}

export function figuresFacts(): FiguresFacts {
  let facts: ReadonlyMap<string, CardFacts> = new Map();
  let told: ReadonlyMap<string, StepFigures> = new Map();
  let seen: ReadonlyMap<string, SeenStep> = new Map();
  const listeners = new Set<() => void>();
  const change = (): void => {
    const before = facts;
    facts = new Map([...new Set([...told.keys(), ...seen.keys()])].map((key) => [key, kept(before.get(key), factsOf(told.get(key), seen.get(key)))]));
    for (const tell of listeners) tell();
  };
  return {
    get: (key) => facts.get(key),
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    show(figures) {
      told = figures;
      change();
    },
    saw(counted) {
      seen = counted;
      change();
    },
  };
}

function factsOf(figures: StepFigures | undefined, seen: SeenStep | undefined): CardFacts {
  const p95 = figures?.p95Ms === undefined ? undefined : `${shownMs(figures.p95Ms)} ms`;
  return {
    figures: {
      rate: figures === undefined ? "" : shownRate(figures.perMinute),
      failed: Math.max(figures?.failed ?? 0, seen?.failed ?? 0),
      p95,
      told: figures === undefined ? "" : words.told(figures.messages, figures.failed, p95),
      ...(seen === undefined ? {} : { seen: { count: seen.count, told: words.seen(seen.count, seen.failed, `${shownMs(seen.lastMs)} ms`) } }),
    },
  };
}

const kept = (old: CardFacts | undefined, made: CardFacts): CardFacts => {
  const [one, other] = [old?.figures, made.figures];
  return one?.rate === other?.rate && one?.told === other?.told && one?.failed === other?.failed && one?.seen?.told === other?.seen?.told
    ? (old ?? made)
    : made;
};

/** Per minute, or per second where the minute's number says nothing any more. */
export function shownRate(perMinute: number): string {
  if (perMinute < 120) return words.perMinute(perMinute < 10 ? String(Math.round(perMinute * 10) / 10) : String(Math.round(perMinute)));
  const perSecond = perMinute / 60;
  return words.perSecond(perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond)));
}
