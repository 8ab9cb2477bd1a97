// The message at the selected step: from the open run, otherwise from a simulation with the sample message.
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { pathKey, type Path } from "@sluice/model";
import { useWatch } from "../breakpoints/breakpoint-watch.ts";
import { useBreakpointMarks } from "../canvas/breakpoint-marks.ts";
import { enclosingStep } from "../document/open-flow.ts";
import { useEditorState } from "../editor/editor-context.ts";
import type { PartialMessage } from "./message-text.ts";
import { headersOf, type SampleDraft } from "./sample-draft.ts";
import { useShownRun } from "./shown-run.tsx";
import type { VisitedSteps } from "./trial.ts";
import { useTrial, useTrialState } from "./trial-context.ts";

export interface StepMessage {
  /** Undefined if the message did not reach the step, or is unknown. */
  readonly before: PartialMessage | undefined;
  readonly after: PartialMessage | undefined;
  /** Undefined for the sample. */
  readonly runId: string | undefined;
  /** True while a breakpoint holds the message before the step. */
  readonly isHeld?: boolean;
  /** How many times the step was reached. */
  readonly visits: number;
}

const noMessage: StepMessage = { before: undefined, after: undefined, runId: undefined, visits: 0 };
const StepMessageContext = createContext<StepMessage>(noMessage);

export const useStepMessage = (): StepMessage => useContext(StepMessageContext);

export function StepMessageProvider({ children }: { readonly children: ReactNode }) {
  const { run, steps: recorded, stepIndex } = useShownRun();
  const key = useEditorState(({ flow }) => (flow.selection === undefined ? undefined : pathKey(enclosingStep(flow, flow.selection)?.path ?? flow.selection)));
  const { steps: sampleSteps, input, isFallback } = useSampleSteps(run === undefined && key !== undefined);
  const held = useHeld(key);
  const message = useMemo((): StepMessage => {
    if (key === undefined) return noMessage;
    if (held !== undefined) return { before: held.message, after: undefined, runId: held.runId, visits: 1, isHeld: true };
    const isHere = ({ path }: { readonly path: Path | undefined }): boolean => path !== undefined && pathKey(path) === key;
    const stepVisits: readonly Pick<StepMessage, "before" | "after">[] = run === undefined ? sampleSteps.filter(isHere) : recorded.filter(isHere);
    // In a loop, the visit that is selected in the run takes precedence.
    const current = run === undefined ? undefined : recorded[stepIndex];
    const last = current !== undefined && isHere(current) ? current : stepVisits.at(-1);
    if (last !== undefined) return { before: last.before, after: last.after, runId: run?.id, visits: stepVisits.length };
    if (run === undefined && isFallback && input !== undefined) return { before: input, after: undefined, runId: undefined, visits: 1 };
    // The trigger has no message before it.
    if (!key.endsWith("/from")) return { ...noMessage, runId: run?.id };
    const first = run === undefined ? input : recorded[0]?.before;
    return { before: undefined, after: first, runId: run?.id, visits: first === undefined ? 0 : 1 };
  }, [key, held, run, recorded, stepIndex, sampleSteps, input, isFallback]);
  return <StepMessageContext value={message}>{children}</StepMessageContext>;
}

/** The message that a breakpoint holds before the step. */
function useHeld(key: string | undefined) {
  const flowId = useEditorState(({ flow }) => flow.id);
  const held = useWatch((state) => (state.flowId === flowId ? state.session?.held : undefined));
  const isHere = useBreakpointMarks(({ cards }) => key !== undefined && cards.get(key) === "held");
  return isHere ? (held ?? undefined) : undefined;
}

const noSteps: VisitedSteps = { steps: [], input: undefined, isFallback: true };
const debounceMs = 200;

/** The steps of the trial. While the trial is off, the flow is simulated with the sample for this purpose only. */
function useSampleSteps(isNeeded: boolean): VisitedSteps {
  const trial = useTrial();
  const isOn = useTrialState((state) => state.isOn);
  const steps = useTrialState((state) => state.steps);
  const result = useTrialState((state) => state.result);
  const sample = useTrialState((state) => state.sample);
  const responses = useTrialState((state) => state.responses);
  const text = useEditorState(({ flow }) => flow.text);
  const [visited, setVisited] = useState(noSteps);
  useEffect(() => {
    if (!isNeeded || isOn) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      void trial.visitedSteps().then((found) => isCurrent && found !== undefined && setVisited(found));
    }, debounceMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [trial, isNeeded, isOn, text, sample, responses]);
  // While the flow is invalid, the messages of the last valid version stay visible.
  const last = useRef(noSteps);
  return useMemo(() => {
    const hasResult = isOn && result?.diagnostics.length === 0;
    const next = hasResult ? { steps, input: result.input, isFallback: false } : isOn ? fallbackOf(sample) : visited;
    if (!next.isFallback || last.current.isFallback) last.current = next;
    return last.current;
  }, [isOn, steps, result, sample, visited]);
}

/** For a flow that cannot run, the sample itself is used as the message at every step. */
const fallbackOf = ({ body, headers }: SampleDraft): VisitedSteps => ({ steps: [], input: { body, headers: headersOf(headers) }, isFallback: true });
