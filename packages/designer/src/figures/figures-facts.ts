// The figures of a deployed flow as cards show them.
import type { CardFacts, CardFactsSource } from "../canvas/card-facts.ts";
import { strings } from "../strings.ts";
import { shownMs } from "../trial/recorded-run.ts";
import type { StepFigures } from "./step-figures.ts";

const words = strings.figures;

export interface FiguresFacts extends CardFactsSource {
  /** Takes over newer figures; cards whose own are the same are not drawn again. */
  show(figures: ReadonlyMap<string, StepFigures>): void;
}

export function figuresFacts(): FiguresFacts {
  let facts: ReadonlyMap<string, CardFacts> = new Map();
  const listeners = new Set<() => void>();
  return {
    get: (key) => facts.get(key),
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
    show(figures) {
      const before = facts;
      facts = new Map([...figures].map(([key, made]) => [key, kept(before.get(key), factsOf(made))]));
      for (const tell of listeners) tell();
    },
  };
}

function factsOf({ messages, perMinute, failed, p95Ms }: StepFigures): CardFacts {
  const p95 = p95Ms === undefined ? undefined : `${shownMs(p95Ms)} ms`;
  return { figures: { rate: shownRate(perMinute), failed, p95, told: words.told(messages, failed, p95) } };
}

const kept = (old: CardFacts | undefined, made: CardFacts): CardFacts =>
  old?.figures?.rate === made.figures?.rate && old?.figures?.told === made.figures?.told ? (old ?? made) : made;

/** Per minute, or per second where the minute's number says nothing any more. */
export function shownRate(perMinute: number): string {
  if (perMinute < 120) return words.perMinute(perMinute < 10 ? String(Math.round(perMinute * 10) / 10) : String(Math.round(perMinute)));
  const perSecond = perMinute / 60;
  return words.perSecond(perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond)));
}
