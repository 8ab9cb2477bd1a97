import { CircleDot, Play, Square, StepForward, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { everyStep, pathKey, type RouteOutline } from "@sluice/model";
import { useBreakpointMarks, type BreakpointMark } from "../canvas/breakpoint-marks.ts";
import { cardOf } from "../canvas/canvas-actions.ts";
import { Button } from "../controls/button.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { useEditor, useEditorState } from "../editor/editor-context.ts";
import { strings } from "../strings.ts";
import { isLocalTarget, useWorkspace } from "../workspace/workspace-store.ts";
import { setBreakpoints, setCondition, toggleBreakpoint, useBreakpoints, type Breakpoint } from "./breakpoint-list.ts";
import { changedFields, draftProblem, actOnHeld, unwatch, useWatch, watch } from "./breakpoint-watch.ts";
import "./breakpoint-bar.css";

const text = strings.breakpoints;

/**
 * Starts and stops the breakpoint session of the open flow, and shows the actions for a held message. Hidden when the flow has no breakpoints and no
 * session. `onHeld` is called when a message is held.
 */
export function BreakpointBar({ onHeld }: { readonly onHeld: () => void }) {
  const editor = useEditor();
  const breakpoints = useBreakpoints(editor.id);
  const session = useWatch((state) => (state.flowId === editor.id ? state.session : undefined));
  const problem = useWatch((state) => (state.flowId === editor.id ? state.problem : undefined));
  useMarks(breakpoints);
  useSelectHeld(onHeld);
  useEffect(() => () => void unwatch(), [editor]);
  if (breakpoints.length === 0 && session === undefined) return null;
  const isOpen = session !== undefined && session.state !== "ended";
  return (
    <section className="breakpoints" aria-label={text.title} data-state={session?.state}>
      <CircleDot size={16} aria-hidden="true" className="breakpoints__icon" />
      {session?.state === "held" ? (
        <HeldActions />
      ) : isOpen ? (
        <Waiting state={session.state} count={session.breakpoints.length} />
      ) : (
        <StartControls breakpoints={breakpoints} />
      )}
      <span className="grow" />
      <span className="breakpoints__note" role="status">
        {problem === undefined ? session?.state === "ended" ? text.ended(session.reason ?? "") : "" : <span className="field__error">{problem}</span>}
      </span>
    </section>
  );
}

function StartControls({ breakpoints }: { readonly breakpoints: readonly Breakpoint[] }) {
  const editor = useEditor();
  const target = useWorkspace((state) => state.target);
  const isDeployed = useWorkspace((state) => state.runtime.flows.has(editor.id));
  const [isConfirming, setConfirming] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const start = (): void => void watch(editor.id, target, breakpoints);
  return (
    <>
      <strong>{text.count(breakpoints.length)}</strong>
      <Button
        variant="primary"
        disabled={!isDeployed}
        title={isDeployed ? text.watchHint(target ?? "") : text.notDeployed}
        onClick={() => (isLocalTarget() ? start() : setConfirming(true))}
      >
        {text.watch}
      </Button>
      <Button onClick={() => setEditing(true)}>{text.editConditions}</Button>
      <Button icon={<X size={14} aria-hidden="true" />} onClick={() => setBreakpoints(editor.id, [])}>
        {text.removeAll}
      </Button>
      {isConfirming ? (
        <Dialog
          title={text.confirmTitle(target ?? "")}
          onClose={() => setConfirming(false)}
          onSubmit={() => {
            setConfirming(false);
            start();
          }}
          actions={
            <>
              <Button onClick={() => setConfirming(false)}>{strings.common.cancel}</Button>
              <Button type="submit" variant="primary">
                {text.watch}
              </Button>
            </>
          }
        >
          <p>{text.confirmText(target ?? "")}</p>
        </Dialog>
      ) : null}
      {isEditing ? <BreakpointDialog breakpoints={breakpoints} onClose={() => setEditing(false)} /> : null}
    </>
  );
}

/** All breakpoints of the flow with their conditions. */
function BreakpointDialog({ breakpoints, onClose }: { readonly breakpoints: readonly Breakpoint[]; readonly onClose: () => void }) {
  const editor = useEditor();
  return (
    <Dialog title={text.editConditions} onClose={onClose} actions={<Button onClick={onClose}>{strings.common.close}</Button>}>
      <p className="muted">{text.conditionHint}</p>
      <ul className="breakpoints__list">
        {breakpoints.map((breakpoint) => (
          <li key={`${breakpoint.routeId}/${breakpoint.stepId}`}>
            <span className="mono">{breakpoint.stepId}</span>
            <input
              className="input mono"
              aria-label={text.conditionOf(breakpoint.stepId)}
              placeholder={text.conditionExample}
              value={breakpoint.when ?? ""}
              onChange={(event) => setCondition(editor, breakpoint, event.target.value)}
            />
            <Button
              variant="quiet"
              icon={<X size={14} aria-hidden="true" />}
              aria-label={text.removeOne(breakpoint.stepId)}
              title={text.removeOne(breakpoint.stepId)}
              onClick={() => {
                const step = stepsOf(editor.flow.lastValid?.outline.routes).find(
                  ({ routeId, step: { id } }) => routeId === breakpoint.routeId && id === breakpoint.stepId,
                );
                if (step !== undefined) toggleBreakpoint(editor, step.step);
                else
                  setBreakpoints(
                    editor.id,
                    breakpoints.filter((other) => other !== breakpoint),
                  );
              }}
            />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Waiting({ state, count }: { readonly state: string; readonly count: number }) {
  return (
    <>
      <strong role="status">{state === "running" ? text.running : text.waiting(count)}</strong>
      <Button onClick={() => void unwatch()}>{text.stopWatching}</Button>
    </>
  );
}

function HeldActions() {
  const held = useWatch((state) => state.session?.held);
  const draft = useWatch((state) => state.draft);
  const secondsLeft = useSecondsLeft(held?.until);
  if (held === null || held === undefined) return null;
  const fields = changedFields(held, draft);
  const invalid = draftProblem(held, draft);
  return (
    <>
      <strong role="status">{text.held(held.stepId)}</strong>
      <span className="muted">{text.continuesIn(clockText(secondsLeft))}</span>
      <Button
        variant="primary"
        icon={<Play size={14} aria-hidden="true" />}
        disabled={invalid !== undefined}
        title={invalid ?? text.continueHint}
        onClick={() => void actOnHeld("continue")}
      >
        {fields.length === 0 ? text.proceed : text.proceedChanged(fields)}
      </Button>
      <Button icon={<StepForward size={14} aria-hidden="true" />} disabled={invalid !== undefined} onClick={() => void actOnHeld("step")}>
        {text.step}
      </Button>
      <Button icon={<Square size={14} aria-hidden="true" />} onClick={() => void actOnHeld("abort")}>
        {text.abort}
      </Button>
    </>
  );
}

const clockText = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

function useSecondsLeft(until: string | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return until === undefined ? 0 : Math.max(0, Math.round((Date.parse(until) - now) / 1000));
}

/** Marks the cards that have a breakpoint or a held message. */
function useMarks(breakpoints: readonly Breakpoint[]): void {
  const editor = useEditor();
  const routes = useEditorState(({ flow }) => flow.lastValid?.outline.routes);
  const held = useWatch((state) => (state.flowId === editor.id ? state.session?.held : undefined));
  useEffect(() => {
    const cards = new Map<string, BreakpointMark>();
    for (const { routeId, step } of stepsOf(routes)) {
      if (held?.routeId === routeId && held.stepId === step.id) cards.set(pathKey(step.path), "held");
      else if (breakpoints.some((breakpoint) => breakpoint.routeId === routeId && breakpoint.stepId === step.id)) cards.set(pathKey(step.path), "set");
    }
    useBreakpointMarks.setState({ cards });
    return () => useBreakpointMarks.setState({ cards: new Map() });
  }, [breakpoints, routes, held]);
}

/** Selects the step at which a message is held, so that the data panel shows it. */
function useSelectHeld(onHeld: () => void): void {
  const editor = useEditor();
  const latestOnHeld = useRef(onHeld);
  latestOnHeld.current = onHeld;
  const heldKey = useWatch((state) =>
    state.flowId === editor.id && state.session?.held ? `${state.session.held.routeId} ${state.session.held.stepId}` : undefined,
  );
  useEffect(() => {
    const found = stepsOf(editor.flow.lastValid?.outline.routes).find(({ routeId, step }) => `${routeId} ${step.id}` === heldKey);
    if (found === undefined) return;
    editor.select(found.step.path);
    latestOnHeld.current();
    cardOf(pathKey(found.step.path))?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [editor, heldKey]);
}

const stepsOf = (routes: readonly RouteOutline[] | undefined) =>
  (routes ?? []).flatMap(({ id, steps }) => [...everyStep(steps)].map((step) => ({ routeId: id, step })));
