// Facts of a trial for the cards of the canvas.
import type { CardFacts, CardFactsSource } from "../canvas/card-facts.ts";
import { pathKey } from "@sluice/model";
import { bodySummary } from "./message-text.ts";
import type { Trial, TriedStep } from "./trial.ts";

const dimmed: CardFacts = { dimmed: true };
const highlighted: CardFacts = { count: 1 };

export function trialFacts(trial: Trial): CardFactsSource {
  let steps: readonly TriedStep[] = [];
  let facts: ReadonlyMap<string, CardFacts> = new Map();
  const current = (): ReadonlyMap<string, CardFacts> => {
    const state = trial.store.getState();
    if (state.steps !== steps) {
      steps = state.steps;
      facts = factsOf(steps, facts);
    }
    return facts;
  };
  return {
    get(key) {
      const known = current();
      return known.size === 0 ? undefined : (known.get(key) ?? dimmed);
    },
    subscribe: (onChange) => trial.store.subscribe(onChange),
  };
}

const maxSummaryLength = 11;

/** A summary of the message after the step, with the number of messages if there are several. */
function short(count: number, body: unknown): string {
  const text = bodySummary(body);
  const cut = text.length <= maxSummaryLength ? text : `${text.slice(0, maxSummaryLength - 1)}…`;
  return count === 1 ? cut : `${count}× ${cut}`;
}

function factsOf(steps: readonly TriedStep[], before: ReadonlyMap<string, CardFacts>): ReadonlyMap<string, CardFacts> {
  const facts = new Map<string, CardFacts>();
  const counts = new Map<string, number>();
  for (const { path, after, error } of steps) {
    if (path === undefined) continue;
    const key = pathKey(path);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    facts.set(key, error === undefined ? { summary: short(count, after?.body) } : { error: error.message });
    // The triggers of routes with messages are highlighted too.
    const route = path.slice(0, 1);
    for (const trigger of [
      [...route, "route", "from"],
      [...route, "from"],
    ])
      if (!facts.has(pathKey(trigger))) facts.set(pathKey(trigger), highlighted);
  }
  // A step around the failed one did not fail itself.
  const failed = [...facts].filter(([, { error }]) => error !== undefined).map(([key]) => key);
  for (const key of failed) if (failed.some((inner) => inner.startsWith(`${key}/`))) facts.set(key, highlighted);
  // A card re-renders only when its own facts change.
  for (const [key, made] of facts) {
    const old = before.get(key);
    if (old !== undefined && old.summary === made.summary && old.error === made.error && old.count === made.count) facts.set(key, old);
  }
  return facts;
}
