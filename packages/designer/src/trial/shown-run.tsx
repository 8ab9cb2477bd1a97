// The open recorded run, if any, and its current step.
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import type { Run, RunDetail } from "@sluice/client";
import { runtimeAt } from "../api-client/runtime-client.ts";
import { recordedSteps, type RecordedStep } from "./recorded-run.ts";
import { useWorkspace } from "../workspace/workspace-store.ts";
import { usePolled } from "../api-client/use-polled.ts";
import { useEditor, useEditorState } from "../editor/editor-context.ts";

export interface ShownRun {
  readonly runId: string | undefined;
  readonly run: RunDetail | undefined;
  readonly problem: string | undefined;
  readonly steps: readonly RecordedStep[];
  /** All runs with the same correlation id, such as those of the routes that it called; empty if there are no others. */
  readonly chain: readonly Run[];
  /** Index in `steps` of the current step. */
  readonly stepIndex: number;
  /** The steps up to the selected one; all steps until one is selected. */
  readonly reached: readonly RecordedStep[];
  /** Moves to a step and selects it on the canvas. */
  goTo(index: number): void;
}

/** Polling interval of a run in flight. */
const pollMs = 500;

const noRun: ShownRun = { runId: undefined, run: undefined, problem: undefined, steps: [], chain: [], stepIndex: 0, reached: [], goTo: () => undefined };
const ShownRunContext = createContext<ShownRun>(noRun);

export const useShownRun = (): ShownRun => useContext(ShownRunContext);

export function ShownRunProvider({ runId, children }: { readonly runId: string | undefined; readonly children: (shown: ShownRun) => ReactNode }) {
  const editor = useEditor();
  const target = useWorkspace((state) => state.target);
  const outline = useEditorState((state) => state.flow.lastValid?.outline);
  const [selection, setSelection] = useState<{ readonly runId: string | undefined; readonly stepIndex: number } | undefined>(undefined);
  const load = useCallback(() => runtimeAt(target).call("GET /runs/:id", { params: { id: runId ?? "" } }), [runId, target]);
  const [isRunning, setRunning] = useState(false);
  const [polled] = usePolled(runId === undefined || target === undefined ? undefined : load, isRunning ? pollMs : undefined);
  const loaded = polled !== undefined && "value" in polled && polled.value.id === runId ? polled.value : undefined;
  useEffect(() => setRunning(loaded?.endedAt === null), [loaded]);
  const chain = useChain(loaded, target);
  const shown = useMemo((): ShownRun => {
    if (runId === undefined) return noRun;
    const steps = loaded === undefined ? [] : recordedSteps(loaded, outline);
    // Start at the failed step, which is what users look for.
    const first = Math.max(
      0,
      steps.findIndex(({ error }) => error !== undefined),
    );
    const stepIndex = selection?.runId === runId ? Math.min(selection.stepIndex, Math.max(0, steps.length - 1)) : first;
    const goTo = (next: number): void => {
      if (next < 0 || next >= steps.length) return;
      setSelection({ runId, stepIndex: next });
      const path = steps[next]?.path;
      if (path !== undefined) editor.select(path);
    };
    return {
      runId,
      run: loaded,
      problem: polled !== undefined && "error" in polled ? polled.error : undefined,
      steps,
      chain,
      stepIndex,
      reached: selection?.runId === runId ? steps.slice(0, stepIndex + 1) : steps,
      goTo,
    };
  }, [runId, loaded, chain, outline, selection, polled, editor]);
  return <ShownRunContext value={shown}>{children(shown)}</ShownRunContext>;
}

const maxChainLength = 200;
const reloadMs = 1_000;
const noRuns: readonly Run[] = [];

/**
 * The runs with the same correlation id. They are loaded twice, and then until none is running, because a queued message may be processed after the run
 * has ended.
 */
function useChain(run: RunDetail | undefined, target: string | undefined): readonly Run[] {
  const [chain, setChain] = useState(noRuns);
  useEffect(() => {
    setChain(noRuns);
    if (run === undefined) return undefined;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout> | undefined = undefined;
    const load = (isFirst: boolean): void => {
      runtimeAt(target)
        .call("GET /runs", { query: { correlationId: run.correlationId, limit: maxChainLength } })
        .then(
          ({ runs }) => {
            if (!isCurrent) return;
            if (runs.length > 1) setChain(runs);
            if (isFirst || runs.some(({ status }) => status === "running")) timer = setTimeout(() => load(false), reloadMs);
          },
          () => undefined,
        );
    };
    load(true);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [run, target]);
  return chain;
}
