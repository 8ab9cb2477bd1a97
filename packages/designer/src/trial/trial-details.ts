// Details of a trial for the cards of the canvas.
import type { CardDetails, CardDetailsSource } from "../canvas/card-details.ts";
import { pathKey } from "@sluice/model";
import { bodySummary } from "./message-text.ts";
import type { Trial, TrialStep } from "./trial.ts";

const dimmed: CardDetails = { dimmed: true };
const highlighted: CardDetails = { count: 1 };

export function trialDetails(trial: Trial): CardDetailsSource {
  let steps: readonly TrialStep[] = [];
  let details: ReadonlyMap<string, CardDetails> = new Map();
  const current = (): ReadonlyMap<string, CardDetails> => {
    const state = trial.store.getState();
    if (state.steps !== steps) {
      steps = state.steps;
      details = detailsOf(steps, details);
    }
    return details;
  };
  return {
    get(key) {
      const currentDetails = current();
      return currentDetails.size === 0 ? undefined : (currentDetails.get(key) ?? dimmed);
    },
    subscribe: (onChange) => trial.store.subscribe(onChange),
  };
}

const maxSummaryLength = 11;

/** A summary of the message after the step, with the number of messages if there are several. */
function summaryOf(count: number, body: unknown): string {
  const text = bodySummary(body);
  const shortened = text.length <= maxSummaryLength ? text : `${text.slice(0, maxSummaryLength - 1)}…`;
  return count === 1 ? shortened : `${count}× ${shortened}`;
}

function detailsOf(steps: readonly TrialStep[], before: ReadonlyMap<string, CardDetails>): ReadonlyMap<string, CardDetails> {
  const details = new Map<string, CardDetails>();
  const counts = new Map<string, number>();
  for (const { path, after, error } of steps) {
    if (path === undefined) continue;
    const key = pathKey(path);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    details.set(key, error === undefined ? { summary: summaryOf(count, after?.body) } : { error: error.message });
    // The triggers of routes with messages are highlighted too.
    const route = path.slice(0, 1);
    for (const trigger of [
      [...route, "route", "from"],
      [...route, "from"],
    ])
      if (!details.has(pathKey(trigger))) details.set(pathKey(trigger), highlighted);
  }
  // A step that encloses the failed step did not fail itself.
  const failed = [...details].filter(([, { error }]) => error !== undefined).map(([key]) => key);
  for (const key of failed) if (failed.some((inner) => inner.startsWith(`${key}/`))) details.set(key, highlighted);
  // A card re-renders only when its own details change.
  for (const [key, next] of details) {
    const old = before.get(key);
    if (old !== undefined && old.summary === next.summary && old.error === next.error && old.count === next.count) details.set(key, old);
  }
  return details;
}
