// The rows of a run on one time axis: its steps by nesting, and below a step the steps of the routes it called.
import type { Run, RunStep } from "@sluice/client";
import { everyStep, pathKey, type Outline } from "@sluice/model";
import type { RecordedStep } from "./recorded-run.ts";

interface RowTime {
  readonly depth: number;
  /** One per attempt; the step waited between them. */
  readonly bars: readonly Bar[];
}

/** Start and length are fractions of the total time. */
export interface Bar {
  readonly start: number;
  readonly length: number;
  readonly isFailed: boolean;
}

export type WaterfallRow =
  | (RowTime & { readonly kind: "step"; readonly index: number; readonly step: RecordedStep })
  | (RowTime & { readonly kind: "route"; readonly run: Run })
  | (RowTime & { readonly kind: "called"; readonly run: Run; readonly step: RunStep });

interface WaterfallInput {
  readonly run: Run;
  readonly steps: readonly RecordedStep[];
  /** Runs with the same correlation id, in any order; those that this run did not cause are ignored. */
  readonly chain: readonly Run[];
  readonly outline: Outline | undefined;
  /** True for URIs through which routes call each other. */
  isRouteCall(uri: string): boolean;
}

export function waterfallRows({ run, steps, chain, outline, isRouteCall }: WaterfallInput): readonly WaterfallRow[] {
  const startTime = Date.parse(run.startedAt);
  const uris = new Map(outline?.routes.flatMap((route) => [...everyStep(route.steps)].map((step) => [`${route.id}/${step.id}`, step.detail] as const)) ?? []);
  const children = childrenByRun(chain, run.id, (candidate) => (isRouteCall(candidate.trigger.uri) ? senderOf(candidate, chain, uris, run.id) : undefined));
  const endTimes = [run, ...descendants(run.id, children)].flatMap((member) => [endOfRun(member), ...member.steps.map(endOfStep)]);
  const totalMs = Math.max(1, Math.max(...endTimes) - startTime);
  const bar = (startedAt: string, durationMs: number, isFailed: boolean): Bar => ({
    start: Math.min(1, Math.max(0, (Date.parse(startedAt) - startTime) / totalMs)),
    length: Math.min(1, durationMs / totalMs),
    isFailed,
  });
  const barsOf = ({ startedAt, durationMs, status, tries }: RunStep): readonly Bar[] =>
    tries === undefined
      ? [bar(startedAt, durationMs, status === "failed")]
      : // Every attempt but the last failed.
        tries.map((attempt, index) => bar(attempt.startedAt, attempt.durationMs, index < tries.length - 1 || status === "failed"));
  const rows: WaterfallRow[] = [];
  const addRoute = (called: Run, depth: number): void => {
    rows.push({ kind: "route", run: called, depth, bars: [bar(called.startedAt, called.durationMs ?? 0, called.status === "failed")] });
    const calledByStep = calledRunsByStep(called, children.get(called.id) ?? [], uris);
    called.steps.forEach((step, index) => {
      rows.push({ kind: "called", run: called, step, depth: depth + 1, bars: barsOf(step) });
      for (const child of calledByStep.get(index) ?? []) addRoute(child, depth + 2);
    });
    for (const child of calledByStep.get(-1) ?? []) addRoute(child, depth + 1);
  };
  const calledByStep = calledRunsByStep(run, children.get(run.id) ?? [], uris);
  steps.forEach((step, index) => {
    const depth = depthOf(step, steps);
    rows.push({ kind: "step", index, step, depth, bars: barsOf(step) });
    for (const child of calledByStep.get(index) ?? []) addRoute(child, depth + 1);
  });
  for (const child of calledByStep.get(-1) ?? []) addRoute(child, 0);
  return rows;
}

function endOfStep({ startedAt, durationMs, tries }: RunStep): number {
  const last = tries?.at(-1);
  return last === undefined ? Date.parse(startedAt) + durationMs : Date.parse(last.startedAt) + last.durationMs;
}
const endOfRun = ({ startedAt, durationMs }: Run): number => Date.parse(startedAt) + (durationMs ?? 0);

function childrenByRun(chain: readonly Run[], rootId: string, queuedBy: (run: Run) => string | undefined): ReadonlyMap<string, readonly Run[]> {
  const children = new Map<string, Run[]>();
  for (const run of chain.toSorted((left, right) => (left.startedAt < right.startedAt ? -1 : 1))) {
    const parent = run.id === rootId ? undefined : (run.parentRunId ?? queuedBy(run));
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [run]);
    else siblings.push(run);
  }
  return children;
}

/** A message that a route queued for another one has no parent run: it belongs to the latest run before it with a step that sends to that queue. */
function senderOf(queued: Run, chain: readonly Run[], uris: ReadonlyMap<string, string>, rootId: string): string {
  const queue = withoutQuery(queued.trigger.uri);
  const senders = chain.filter(
    (run) =>
      run.id !== queued.id &&
      run.startedAt <= queued.startedAt &&
      run.steps.some(({ stepId }) => withoutQuery(uris.get(`${run.routeId}/${stepId}`) ?? "") === queue),
  );
  return senders.toSorted((left, right) => (left.startedAt < right.startedAt ? -1 : 1)).at(-1)?.id ?? rootId;
}

const withoutQuery = (uri: string): string => uri.split("?", 1)[0] as string;

function descendants(id: string, children: ReadonlyMap<string, readonly Run[]>): readonly Run[] {
  return (children.get(id) ?? []).flatMap((child) => [child, ...descendants(child.id, children)]);
}

/** The called runs by the index of the step that called them; -1 when that is unknown. */
function calledRunsByStep(run: Run, called: readonly Run[], uris: ReadonlyMap<string, string>): ReadonlyMap<number, readonly Run[]> {
  const byStep = new Map<number, Run[]>();
  for (const child of called) {
    const childStart = Date.parse(child.startedAt);
    const running = run.steps
      .map((step, index) => ({ step, index }))
      // Times are rounded to milliseconds. A step that sends without waiting ends before the called route starts.
      .filter(({ step }) => Date.parse(step.startedAt) <= childStart + 1);
    const matching = running.filter(({ step }) => withoutQuery(uris.get(`${run.routeId}/${step.stepId}`) ?? "") === withoutQuery(child.trigger.uri));
    const index = (matching.at(-1) ?? running.filter(({ step }) => endOfStep(step) >= childStart - 1).at(-1))?.index ?? -1;
    byStep.set(index, [...(byStep.get(index) ?? []), child]);
  }
  return byStep;
}

/** The number of other steps that enclose this one. */
function depthOf({ path }: RecordedStep, steps: readonly RecordedStep[]): number {
  if (path === undefined) return 0;
  const key = pathKey(path);
  const enclosing = new Set(steps.flatMap((other) => (other.path !== undefined && key.startsWith(`${pathKey(other.path)}/`) ? [pathKey(other.path)] : [])));
  return enclosing.size;
}
