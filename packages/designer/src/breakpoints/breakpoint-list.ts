// The breakpoints of each flow, stored in the browser and never in the file. They refer to steps by the ids in the file.
import { create } from "zustand";
import { everyStep, type StepOutline } from "@sluice/model";
import { currentCatalog } from "../catalog/use-catalog.ts";
import { referenceKey, writeIds } from "../commands/write-ids.ts";
import type { Editor } from "../document/editor.ts";
import { selectedStep } from "../document/open-flow.ts";
import { strings } from "../strings.ts";
import { readSetting, writeSetting } from "../workspace/workspace-store.ts";

export interface Breakpoint {
  readonly routeId: string;
  readonly stepId: string;
  /** A Simple predicate; only messages for which it is true are held. */
  readonly when?: string;
}

type BreakpointLists = Readonly<Record<string, readonly Breakpoint[]>>;

const settingKey = "sluice.breakpoints";
const none: readonly Breakpoint[] = [];
/** The limit of the runtime for one session. */
const maxBreakpoints = 20;

const useBreakpointLists = create<{ readonly lists: BreakpointLists }>(() => ({ lists: readStored() }));

function readStored(): BreakpointLists {
  try {
    return JSON.parse(readSetting(settingKey) ?? "{}") as BreakpointLists;
  } catch {
    return {};
  }
}

export const useBreakpoints = (flowId: string): readonly Breakpoint[] => useBreakpointLists(({ lists }) => lists[flowId] ?? none);

export function setBreakpoints(flowId: string, list: readonly Breakpoint[]): void {
  const { [flowId]: _, ...others } = useBreakpointLists.getState().lists;
  const lists = list.length === 0 ? others : { ...others, [flowId]: list };
  useBreakpointLists.setState({ lists });
  writeSetting(settingKey, JSON.stringify(lists));
}

/** The step, by default the selected one, with its route; undefined if no breakpoint can be set on it, because it belongs to no route. */
export function stepForBreakpoint(
  { flow }: Editor,
  step: StepOutline | undefined = selectedStep(flow),
): { readonly routeId: string; readonly step: StepOutline } | undefined {
  if (step === undefined) return undefined;
  const route = flow.lastValid?.outline.routes.find(({ steps }) => [...everyStep(steps)].includes(step));
  return route === undefined ? undefined : { routeId: route.id, step };
}

/** Sets or removes the breakpoint of a step; a step without an id gets one first. */
export function toggleBreakpoint(editor: Editor, step?: StepOutline): void {
  const found = stepForBreakpoint(editor, step);
  if (found === undefined) return;
  const list = useBreakpointLists.getState().lists[editor.id] ?? none;
  const others = list.filter(({ routeId, stepId }) => routeId !== found.routeId || stepId !== found.step.id);
  if (others.length < list.length) return setBreakpoints(editor.id, others);
  if (list.length >= maxBreakpoints) return editor.showNotice({ kind: "error", text: strings.breakpoints.tooMany(maxBreakpoints) });
  const reference = { routeId: found.routeId, stepId: found.step.id };
  const written = writeIds(editor.flow, [reference], currentCatalog());
  const stepId = written?.ids.get(referenceKey(reference)) ?? found.step.id;
  if (written !== undefined) {
    if (!editor.edit(written.edit, strings.breakpoints.wroteId(stepId), "command")) return;
    editor.showNotice({ kind: "info", text: strings.breakpoints.wroteId(stepId) });
  }
  setBreakpoints(editor.id, [...list, { routeId: found.routeId, stepId }]);
}

export function setCondition(editor: Editor, at: Breakpoint, when: string): void {
  const list = useBreakpointLists.getState().lists[editor.id] ?? none;
  const { routeId, stepId } = at;
  const changed: Breakpoint = when.trim() === "" ? { routeId, stepId } : { routeId, stepId, when };
  setBreakpoints(
    editor.id,
    list.map((breakpoint) => (breakpoint.routeId === routeId && breakpoint.stepId === stepId ? changed : breakpoint)),
  );
}
