// An open flow: its text is the source of truth; everything else is derived from it. All functions are pure; every change is a splice of the text,
// recorded in one history.
import {
  applySplice,
  type BlockOutline,
  type Diagnostic,
  type Edit,
  type Outline,
  outlineOf,
  type Path,
  pathKey,
  rereadTree,
  type Splice,
  type StepOutline,
  type Tree,
} from "@sluice/model";
import * as timeline from "./history.ts";
import type { History, Origin } from "./history.ts";

/** The content of a flow, with its hash and the time of its last change. */
export interface SavedFile {
  readonly text: string;
  readonly hash: string;
  readonly lastModified: string;
}

/** The last text that could be parsed, which the canvas shows. */
interface ValidState {
  readonly text: string;
  readonly tree: Tree;
  readonly outline: Outline;
}

export interface OpenFlow {
  readonly id: string;
  readonly text: string;
  /** Undefined until a text of this flow has been parsed. */
  readonly lastValid: ValidState | undefined;
  /** YAML syntax errors; while there are any, `lastValid` is older than `text`. */
  readonly syntax: readonly Diagnostic[];
  readonly selection: Path | undefined;
  /** Index of the step at which a selection of several steps started. */
  readonly anchor: number | undefined;
  readonly history: History;
  /** The file as last loaded or saved by the page; undefined until the first save. */
  readonly saved: SavedFile | undefined;
}

export interface EditNote {
  readonly label: string;
  readonly origin: Origin;
  readonly at: number;
  /** The selection afterwards; unchanged if omitted. */
  readonly select?: Path | undefined;
  readonly anchor?: number | undefined;
  /** Consecutive changes with the same group are one undo step. */
  readonly group?: string | undefined;
}

export function openFlow(id: string, text: string, saved: SavedFile | undefined): OpenFlow {
  return read({ id, text, lastValid: undefined, syntax: [], selection: undefined, anchor: undefined, history: timeline.emptyHistory, saved });
}

/** Replaces a range of the text. */
export function applyToFlow(flow: OpenFlow, splice: Splice, note: EditNote): OpenFlow {
  const text = applySplice(flow.text, splice);
  if (text === flow.text) return flow;
  const change = {
    splice,
    inverse: timeline.invert(flow.text, splice),
    label: note.label,
    origin: note.origin,
    at: note.at,
    selectionBefore: flow.selection,
    ...(note.group === undefined ? {} : { group: note.group }),
  };
  const selection = "select" in note ? note.select : flow.selection;
  const anchor = "select" in note ? note.anchor : flow.anchor;
  const history = timeline.recordGrouped(flow.history, change, flow.text, text) ?? timeline.record(flow.history, change);
  return read({ ...flow, text, selection, anchor, history });
}

/** Applies an edit returned by the model's functions; a rejected one changes nothing. */
export function applyEdit(flow: OpenFlow, edit: Edit, note: EditNote): OpenFlow {
  return edit.ok ? applyToFlow(flow, edit.splice, note) : flow;
}

/** Replaces the whole text, e.g. with a restored version; the splice is reduced to the difference. */
export function replaceText(flow: OpenFlow, text: string, note: EditNote): OpenFlow {
  return applyToFlow(flow, timeline.difference(flow.text, text), note);
}

export function undo(flow: OpenFlow): OpenFlow {
  const result = timeline.undo(flow.text, flow.history);
  return result === undefined
    ? flow
    : read({ ...flow, text: result.text, history: result.history, selection: result.change.selectionBefore ?? flow.selection, anchor: undefined });
}

export function redo(flow: OpenFlow): OpenFlow {
  const result = timeline.redo(flow.text, flow.history);
  return result === undefined ? flow : read({ ...flow, text: result.text, history: result.history, anchor: undefined });
}

/** Records a save: `saved` is the content on disk, which may be older than the text. */
export function markSaved(flow: OpenFlow, saved: SavedFile): OpenFlow {
  return { ...flow, saved, history: saved.text === flow.text ? timeline.markSaved(flow.history) : { ...flow.history, savedAt: undefined } };
}

/** Selects one element, or with `anchor` all steps of the list between that index and the selected step. */
export function select(flow: OpenFlow, selection: Path | undefined, anchor?: number): OpenFlow {
  const same = pathKey(selection ?? []) === pathKey(flow.selection ?? []) && (selection === undefined) === (flow.selection === undefined);
  return same && anchor === flow.anchor ? flow : { ...flow, selection, anchor };
}

/** Selects the element at a text position, see `pathAtOffset`. */
export function selectAt(flow: OpenFlow, offset: number): OpenFlow {
  if (flow.lastValid?.text !== flow.text) return flow;
  const found = pathAtOffset(flow.lastValid.outline, offset);
  return found === undefined ? flow : select(flow, found);
}

/** Number of unsaved changes. */
export function unsavedChanges(flow: OpenFlow): number {
  if (flow.saved === undefined) return Math.max(1, flow.history.past.length);
  return flow.text === flow.saved.text ? 0 : Math.max(1, timeline.stepsFromSaved(flow.history));
}

export const canUndo = (flow: OpenFlow): boolean => flow.history.past.length > 0;
export const canRedo = (flow: OpenFlow): boolean => flow.history.future.length > 0;
export const isBroken = (flow: OpenFlow): boolean => flow.lastValid?.text !== flow.text;

/** The selected step, if a step is selected. */
export function selectedStep(flow: OpenFlow): StepOutline | undefined {
  return flow.selection === undefined ? undefined : stepAt(flow, flow.selection);
}

/** The selected steps in order; they are adjacent in one list. */
export function selectedSteps(flow: OpenFlow): readonly StepOutline[] {
  const lead = selectedStep(flow);
  if (lead === undefined || flow.anchor === undefined) return lead === undefined ? [] : [lead];
  const low = Math.min(lead.index, flow.anchor);
  const high = Math.max(lead.index, flow.anchor);
  const steps: StepOutline[] = [];
  for (let index = low; index <= high; index++) {
    const step = stepAt(flow, [...lead.listPath, index]);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/** The branch of a step at a path, such as one `when` of a choice. */
export function blockAt(flow: OpenFlow, path: Path): BlockOutline | undefined {
  const block = innermostBlock(flow, path, true);
  return block !== undefined && block.name !== "" && block.path.length === path.length ? block : undefined;
}

export function stepAt(flow: OpenFlow, path: Path): StepOutline | undefined {
  const item = path[0];
  const route = flow.lastValid?.outline.routes.find((candidate) => candidate.path[0] === item);
  const listPath = path.slice(0, -1);
  const isInRoute = route !== undefined && route.stepsPath.length === listPath.length && isBelow(path, route.stepsPath);
  const block = isInRoute ? undefined : innermostBlock(flow, listPath, false);
  const steps = isInRoute ? route.steps : block !== undefined && block.stepsPath.length === listPath.length ? block.steps : [];
  return steps.find((step) => step.index === path.at(-1));
}

/** The innermost block that contains a path. */
function innermostBlock(flow: OpenFlow, path: Path, byOwnPath: boolean): BlockOutline | undefined {
  const item = path[0];
  const route = flow.lastValid?.outline.routes.find((candidate) => candidate.path[0] === item);
  let blocks =
    route === undefined ? (flow.lastValid?.outline.entities.find((entity) => entity.path[0] === item)?.blocks ?? []) : blocksToward(route.steps, path);
  let found: BlockOutline | undefined;
  for (;;) {
    const next: BlockOutline | undefined = blocks.findLast((block) => isBelow(path, byOwnPath && block.name !== "" ? block.path : block.stepsPath));
    if (next === undefined) return found;
    found = next;
    blocks = blocksToward(next.steps, path);
  }
}

const blocksToward = (steps: readonly StepOutline[], path: Path): readonly BlockOutline[] => {
  const [first] = steps;
  const index = first === undefined ? undefined : path[first.listPath.length];
  return (typeof index === "number" ? steps[index]?.blocks : undefined) ?? [];
};

const isBelow = (path: Path, above: Path): boolean => path.length >= above.length && above.every((part, index) => part === path[index]);

/** The step that contains a part of the document. */
export function enclosingStep(flow: OpenFlow, path: Path): StepOutline | undefined {
  for (let length = path.length; length > 0; length--) {
    const step = stepAt(flow, path.slice(0, length));
    if (step !== undefined) return step;
  }
  return undefined;
}

/** The element at a position of the outlined text: the innermost step or branch, else the surrounding trigger or element. */
export function pathAtOffset(outline: Outline, offset: number): Path | undefined {
  const route = outline.routes.findLast((candidate) => containsOffset(candidate, offset));
  if (route !== undefined) return innermost(route.steps, offset) ?? route.from.path;
  const entity = outline.entities.find((candidate) => containsOffset(candidate, offset));
  return entity === undefined ? undefined : (inBlocks(entity.blocks, offset) ?? entity.path);
}

function innermost(steps: readonly StepOutline[], offset: number): Path | undefined {
  // The end of a step may be the start of the next one, which takes precedence.
  const step = steps.findLast((candidate) => containsOffset(candidate, offset));
  return step === undefined ? undefined : (inBlocks(step.blocks, offset) ?? step.path);
}

function inBlocks(blocks: readonly BlockOutline[], offset: number): Path | undefined {
  for (const block of blocks) {
    const inside = innermost(block.steps, offset);
    if (inside !== undefined) return inside;
    if (block.name !== "" && containsOffset(block, offset)) return block.path;
  }
  return undefined;
}

const containsOffset = ({ span }: { readonly span: { readonly start: number; readonly end: number } }, offset: number): boolean =>
  span.start <= offset && offset <= span.end;

function read(flow: OpenFlow): OpenFlow {
  if (flow.lastValid?.text === flow.text) return { ...flow, syntax: [] };
  const { tree, diagnostics } = rereadTree(flow.text);
  if (tree === undefined) return { ...flow, syntax: diagnostics };
  return { ...flow, syntax: [], lastValid: { text: flow.text, tree, outline: outlineOf(tree, flow.id) } };
}
