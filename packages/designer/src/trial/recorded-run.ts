// Maps a recorded run to the displayed flow: visited steps, and the message at each step if it was captured.
import { everyStep, type Outline, type Path, pathKey } from "@sluice/model";
import type { RunDetail, RunStep } from "@sluice/client";
import type { CardDetails, CardDetailsSource } from "../canvas/card-details.ts";
import type { PartialMessage } from "./message-text.ts";

export interface RecordedStep extends RunStep {
  /** Undefined when the step no longer exists in the flow. */
  readonly path: Path | undefined;
  readonly before: PartialMessage | undefined;
  /** The message before the next step. */
  readonly after: PartialMessage | undefined;
  readonly error: string | undefined;
  /** True when the enclosing step timed out first: the result of this step was not used. */
  readonly isDropped: boolean;
}

export function recordedSteps(run: RunDetail, outline: Outline | undefined): readonly RecordedStep[] {
  const route = outline?.routes.find(({ id }) => id === run.routeId);
  // Error handlers and interceptors are elements of the flow; their steps run as part of a route.
  const entitySteps = (outline?.entities ?? []).flatMap(({ blocks }) => blocks.flatMap(({ steps }) => [...everyStep(steps)]));
  const paths = new Map([...entitySteps, ...everyStep(route?.steps ?? [])].map((step) => [step.id, step.path]));
  const messages = new Map((run.messages ?? []).map((message) => [message.stepId, message]));
  const hasEnded = run.endedAt !== null;
  return run.steps.map((step, index) => {
    const next = run.steps[index + 1];
    return {
      ...step,
      path: paths.get(step.stepId),
      before: messages.get(step.stepId),
      after: next === undefined ? undefined : messages.get(next.stepId),
      error: step.status === "failed" && (run.error?.stepId ?? step.stepId) === step.stepId ? (run.error?.message ?? step.status) : undefined,
      isDropped: isDropped(step, run.steps, paths, hasEnded),
    };
  });
}

/** Recorded times are rounded to milliseconds. */
const roundingMs = 2;
const endOf = (step: RunStep): number => Date.parse(step.startedAt) + step.durationMs;

/** True for a step that ended after its enclosing step, or that was still running when the run ended. */
function isDropped(step: RunStep, all: readonly RunStep[], paths: ReadonlyMap<string, Path>, hasEnded: boolean): boolean {
  const path = paths.get(step.stepId);
  if (path === undefined) return false;
  const enclosing = all
    .filter((other) => other.status !== "running" && isInside(path, paths.get(other.stepId)) && other.startedAt <= step.startedAt)
    .toSorted((left, right) => (left.startedAt < right.startedAt ? 1 : -1))[0];
  if (step.status === "running") return enclosing !== undefined && hasEnded;
  return enclosing !== undefined && endOf(step) > endOf(enclosing) + roundingMs;
}

const isInside = (path: Path, enclosing: Path | undefined): boolean =>
  enclosing !== undefined && enclosing.length < path.length && enclosing.every((part, index) => part === path[index]);

const dimmed: CardDetails = { dimmed: true };

/** The path of a run on the cards: visited steps are highlighted, others dimmed. */
export function recordedDetails(steps: readonly RecordedStep[]): CardDetailsSource {
  const details = new Map<string, CardDetails>();
  const counts = new Map<string, number>();
  for (const { path, durationMs, error, isDropped } of steps) {
    if (path === undefined) continue;
    const key = pathKey(path);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (isDropped) details.set(key, { dropped: true });
    else details.set(key, error === undefined ? { summary: `${count === 1 ? "" : `${count}× `}${formatMs(durationMs)} ms` } : { error });
    for (const trigger of [
      [path[0] as number, "route", "from"],
      [path[0] as number, "from"],
    ])
      if (!details.has(pathKey(trigger))) details.set(pathKey(trigger), { count: 1 });
  }
  return { get: (key) => details.get(key) ?? dimmed, subscribe: () => () => undefined };
}

export const formatMs = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)));
