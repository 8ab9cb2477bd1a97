import type { Run } from "@sluice/client";

/** A run that no other run of the list called, with the runs of the routes it called, directly or indirectly. */
export interface RunGroup {
  readonly run: Run;
  readonly called: readonly CalledRun[];
}

interface CalledRun {
  readonly run: Run;
  /** 1 for a route called by the run itself, 2 for a route called by that route. */
  readonly depth: number;
}

/**
 * Groups the runs under the run that called them. A called run whose caller is not in the list, because it is older or does not match the filter, is
 * listed separately. `isRouteCall` is true for URIs through which routes call each other.
 */
export function groupRuns(runs: readonly Run[], isRouteCall: (uri: string) => boolean): readonly RunGroup[] {
  const callers = callersIn(runs, isRouteCall);
  const calledBy = new Map<string, Run[]>();
  const roots: Run[] = [];
  for (const run of runs) {
    const caller = callers(run);
    if (caller === undefined) roots.push(run);
    else calledBy.set(caller, [run, ...(calledBy.get(caller) ?? [])]);
  }
  const calledRuns = (id: string, depth: number): readonly CalledRun[] =>
    (calledBy.get(id) ?? []).flatMap((run) => [{ run, depth }, ...calledRuns(run.id, depth + 1)]);
  return roots.map((run) => ({ run, called: calledRuns(run.id, 1) }));
}

/**
 * Returns a function that finds the id of the run that called a given run. A message that a route queued for another one has no parent run, only the correlation id
 * of the first run. It belongs to that run, unless the list contains several runs that were started with the same correlation id.
 */
function callersIn(runs: readonly Run[], isRouteCall: (uri: string) => boolean): (run: Run) => string | undefined {
  const isQueued = ({ trigger, parentRunId }: Run): boolean => parentRunId === null && isRouteCall(trigger.uri);
  const ids = new Set(runs.map(({ id }) => id));
  const first = new Map<string, string | undefined>();
  for (const run of runs) if (run.parentRunId === null && !isQueued(run)) first.set(run.correlationId, first.has(run.correlationId) ? undefined : run.id);
  return (run) => {
    if (isQueued(run)) return first.get(run.correlationId);
    return run.parentRunId !== null && ids.has(run.parentRunId) ? run.parentRunId : undefined;
  };
}
