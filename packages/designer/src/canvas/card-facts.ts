// What is known of a step from running it, shown on its card: by default nothing. Whoever runs the flow (a simulation, a
// trace, a recorded run) provides a source; a card draws again only when its own facts change.
import { createContext, useCallback, useContext, useSyncExternalStore } from "react";

/** What a card shows beside its title. All parts may be missing. */
export interface CardFacts {
  /** A short word or value: the message after the step, a duration. */
  readonly summary?: string;
  /** Why the step failed; the card turns red and says it. */
  readonly error?: string;
  /** How many messages went through. */
  readonly count?: number;
  /** How the step does where it is deployed. */
  readonly figures?: CardFigures;
  /** True when a shown run did not reach the step: the card is dimmed. */
  readonly dimmed?: boolean;
}

export interface CardFigures {
  readonly rate: string;
  readonly failed: number;
  /** How long all but the slowest took; missing while nothing has come through. */
  readonly p95: string | undefined;
  /** All of it in a sentence. */
  readonly told: string;
  /** What the trace counted since the page follows it. */
  readonly seen?: { readonly count: number; readonly told: string };
}

/** Where facts come from. `get` must return the same object until it has changed; keys are path keys (`pathKey(step.path)`). */
export interface CardFactsSource {
  get(stepKey: string): CardFacts | undefined;
  /** Calls back after any change; returns the end of the subscription. */
  subscribe(onChange: () => void): () => void;
}

/** What the first knows goes before what the second knows. */
export function layeredFacts(first: CardFactsSource, second: CardFactsSource): CardFactsSource {
  return {
    get: (key) => first.get(key) ?? second.get(key),
    subscribe(onChange) {
      const ends = [first.subscribe(onChange), second.subscribe(onChange)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

const noFacts: CardFactsSource = { get: () => undefined, subscribe: () => () => undefined };

export const CardFactsContext = createContext<CardFactsSource>(noFacts);

/** The facts of one step, or of a route's trigger. */
export function useCardFacts(stepKey: string): CardFacts | undefined {
  const source = useContext(CardFactsContext);
  const get = useCallback(() => source.get(stepKey), [source, stepKey]);
  return useSyncExternalStore(source.subscribe, get);
}
