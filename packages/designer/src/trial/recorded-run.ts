// A run the runtime recorded, laid over the flow as it is drawn: which steps it passed, and the message at each as far as it
// was kept.
import type { Path } from "@sluice/model";
import type { RunDetail, RunStep } from "@sluice/client";
import type { CardFacts, CardFactsSource } from "../canvas/card-facts.ts";
import { everyStep, pathKey, type Outline } from "../document/outline.ts";
import type { SomeMessage } from "./message-text.ts";

export interface RecordedStep extends RunStep {
  /** Undefined when the flow has no such step any more. */
  readonly path: Path | undefined;
  readonly before: SomeMessage | undefined;
  /** The message before the step that came next. */
  readonly after: SomeMessage | undefined;
  readonly error: string | undefined;
}

export function recordedSteps(run: RunDetail, outline: Outline | undefined): readonly RecordedStep[] {
  const route = outline?.routes.find(({ id }) => id === run.routeId);
  const paths = new Map([...everyStep(route?.steps ?? [])].map((step) => [step.id, step.path]));
  const messages = new Map((run.messages ?? []).map((message) => [message.stepId, message]));
  return run.steps.map((step, index) => {
    const next = run.steps[index + 1];
    return {
      ...step,
      path: paths.get(step.stepId),
      before: messages.get(step.stepId),
      after: next === undefined ? undefined : messages.get(next.stepId),
      error: step.status === "failed" && (run.error?.stepId ?? step.stepId) === step.stepId ? (run.error?.message ?? step.status) : undefined,
    };
  });
}

const dimmed: CardFacts = { dimmed: true };

/** The path of a run on the cards: what it passed is lit, the rest dimmed. */
export function recordedFacts(steps: readonly RecordedStep[]): CardFactsSource {
  const facts = new Map<string, CardFacts>();
  const counts = new Map<string, number>();
  for (const { path, durationMs, error } of steps) {
    if (path === undefined) continue;
    const key = pathKey(path);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    facts.set(key, error === undefined ? { summary: `${count === 1 ? "" : `${count}× `}${shownMs(durationMs)} ms` } : { error });
    for (const trigger of [
      [path[0] as number, "route", "from"],
      [path[0] as number, "from"],
    ])
      if (!facts.has(pathKey(trigger))) facts.set(pathKey(trigger), { count: 1 });
  }
  return { get: (key) => facts.get(key) ?? dimmed, subscribe: () => () => undefined };
}

export const shownMs = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)));
