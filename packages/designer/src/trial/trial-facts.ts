// What a trial knows of each step, for the cards of the canvas.
import type { CardFacts, CardFactsSource } from "../canvas/card-facts.ts";
import { pathKey } from "../document/outline.ts";
import { bodySummary } from "./message-text.ts";
import type { Trial, TriedStep } from "./trial.ts";

const dimmed: CardFacts = { dimmed: true };

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

function factsOf(steps: readonly TriedStep[], before: ReadonlyMap<string, CardFacts>): ReadonlyMap<string, CardFacts> {
  const facts = new Map<string, CardFacts>();
  for (const { path, after, error } of steps) {
    if (path === undefined) continue;
    const key = pathKey(path);
    const count = (facts.get(key)?.count ?? 0) + 1;
    facts.set(key, { ...(error === undefined ? { summary: bodySummary(after?.body) } : { error: error.message }), count });
    // The trigger of every route a message came through is lit as well.
    const route = path.slice(0, 1);
    for (const trigger of [
      [...route, "route", "from"],
      [...route, "from"],
    ])
      if (!facts.has(pathKey(trigger))) facts.set(pathKey(trigger), { count: 1 });
  }
  // A card draws again only when its own facts are others.
  for (const [key, made] of facts) {
    const old = before.get(key);
    if (old !== undefined && old.summary === made.summary && old.error === made.error && old.count === made.count) facts.set(key, old);
  }
  return facts;
}
