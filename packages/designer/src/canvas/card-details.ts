// Runtime information shown on the card of a step; none by default. A simulation, a trace or a recorded run provides a source; a card re-renders
// only when its own details change.
import { createContext, useCallback, useContext, useSyncExternalStore } from "react";

/** Data that a card shows in addition to its title. All parts are optional. */
export interface CardDetails {
  /** A short text: the message after the step, or a duration. */
  readonly summary?: string;
  /** Why the step failed; shown in red on the card. */
  readonly error?: string;
  /** Number of processed messages. */
  readonly count?: number;
  /** Metrics of the deployed step. */
  readonly metrics?: CardMetrics;
  /** True when the enclosing step stopped waiting for this one: its result was not used. */
  readonly dropped?: boolean;
  /** True when the shown run did not reach the step: the card is dimmed. */
  readonly dimmed?: boolean;
}

export interface CardMetrics {
  readonly rate: string;
  readonly failed: number;
  /** The p95 latency; undefined until a message has completed. */
  readonly p95: string | undefined;
  /** All metrics in one sentence. */
  readonly tooltip: string;
  /** Number of messages traced since the page was opened. */
  readonly seen?: { readonly count: number; readonly tooltip: string };
}

/** A source of details. `get` must return the same object until it changes; keys are path keys (`pathKey(step.path)`). */
export interface CardDetailsSource {
  get(stepKey: string): CardDetails | undefined;
  /** Subscribes to changes; returns the unsubscribe function. */
  subscribe(onChange: () => void): () => void;
}

/** Details of the first source take precedence over those of the second. */
export function layerDetails(first: CardDetailsSource, second: CardDetailsSource): CardDetailsSource {
  return {
    get: (key) => first.get(key) ?? second.get(key),
    subscribe(onChange) {
      const unsubscribes = [first.subscribe(onChange), second.subscribe(onChange)];
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe();
      };
    },
  };
}

const noDetails: CardDetailsSource = { get: () => undefined, subscribe: () => () => undefined };

export const CardDetailsContext = createContext<CardDetailsSource>(noDetails);

/** The details of one step, or of a route's trigger. */
export function useCardDetails(stepKey: string): CardDetails | undefined {
  const source = useContext(CardDetailsContext);
  const get = useCallback(() => source.get(stepKey), [source, stepKey]);
  return useSyncExternalStore(source.subscribe, get);
}
