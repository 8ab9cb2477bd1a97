// All canvas actions on the selection, with their shortcuts: the menu, the keyboard and the shortcut list are generated from this list and from the
// document commands.
import { flushSync } from "react-dom";
import { stepForBreakpoint, toggleBreakpoint } from "../breakpoints/breakpoint-list.ts";
import { currentCatalog } from "../catalog/use-catalog.ts";
import { holdsSteps } from "../catalog/flow-catalog.ts";
import type { DocumentCommand } from "../commands/command.ts";
import { createLinkedRoute, linkedEndpoint } from "../commands/linked-route.ts";
import { positionAfterSelection, positionInside } from "../commands/insert-step.ts";
import { runCommand } from "../commands/run-command.ts";
import type { Editor } from "../document/editor.ts";
import { pathKey } from "@sluice/model";
import { blockAt, selectedStep, selectedSteps } from "../document/open-flow.ts";
import { strings } from "../strings.ts";
import { openPicker, setDirection, setZoom, useCanvasUi } from "./canvas-ui.ts";

const text = strings.canvas;

export interface CanvasAction {
  readonly name: string;
  readonly title: string;
  readonly shortcut?: string;
  /** An alternative shortcut. */
  readonly alternativeShortcut?: string;
  /** Not shown in the menu of a card. */
  readonly hidden?: boolean;
  isPossible(editor: Editor): boolean;
  run(editor: Editor): void;
}

const always = (): boolean => true;

export const canvasActions: readonly CanvasAction[] = [
  {
    name: "add-step",
    title: text.addStep,
    shortcut: "A",
    alternativeShortcut: "/",
    isPossible: ({ flow }) => positionAfterSelection(flow) !== undefined,
    run: ({ flow }) => {
      const position = positionAfterSelection(flow);
      if (position !== undefined) openPicker({ for: "insert", position });
    },
  },
  {
    name: "add-inside",
    title: text.addInside,
    shortcut: "Shift+A",
    isPossible: (editor) => positionInSelection(editor) !== undefined,
    run: (editor) => {
      const position = positionInSelection(editor);
      if (position !== undefined) openPicker({ for: "insert", position });
    },
  },
  {
    name: "add-branch",
    title: text.addBranch,
    shortcut: "Shift+B",
    isPossible: (editor) => branchOwner(editor) !== undefined,
    run: (editor) => {
      const step = branchOwner(editor);
      if (step !== undefined) openPicker({ for: "branch", step });
    },
  },
  {
    name: "breakpoint",
    title: strings.breakpoints.toggle,
    shortcut: "B",
    isPossible: (editor) => stepForBreakpoint(editor) !== undefined,
    run: (editor) => toggleBreakpoint(editor),
  },
  { name: "add-element", title: text.addElement, shortcut: "Shift+R", hidden: true, isPossible: always, run: () => openPicker({ for: "element" }) },
  { name: "wrap", title: text.wrap, shortcut: "W", isPossible: ({ flow }) => selectedSteps(flow).length > 0, run: () => openPicker({ for: "wrap" }) },
  {
    name: "replace",
    title: text.replace,
    shortcut: "R",
    isPossible: ({ flow }) => selectedStep(flow) !== undefined,
    run: () => openPicker({ for: "replace" }),
  },
  {
    name: "go-to-linked",
    title: text.goToLinked,
    shortcut: "G",
    isPossible: ({ flow }) => linkedEndpoint(flow, currentCatalog()) !== undefined || createLinkedRoute(currentCatalog()).apply(flow) !== undefined,
    run: (editor) => {
      const linked = linkedEndpoint(editor.flow, currentCatalog());
      if (linked === undefined) runOnCanvas(editor, createLinkedRoute(currentCatalog()));
      else {
        flushSync(() => editor.select(linked));
        focusSelected(editor);
      }
    },
  },
  {
    name: "rename",
    title: text.rename,
    shortcut: "F2",
    isPossible: ({ flow }) => flow.selection !== undefined,
    run: () => focusInspector("[data-field=description]"),
  },
  { name: "open", title: text.open, shortcut: "Enter", isPossible: ({ flow }) => flow.selection !== undefined, run: () => focusInspector() },
  { name: "find", title: text.find, shortcut: "Mod+F", hidden: true, isPossible: always, run: () => useCanvasUi.setState({ isFindOpen: true }) },
  { name: "direction", title: text.direction, shortcut: "X", hidden: true, isPossible: always, run: toggleDirection },
  { name: "fit", title: text.fit, shortcut: "1", hidden: true, isPossible: always, run: fit },
  { name: "actual-size", title: text.actualSize, shortcut: "0", hidden: true, isPossible: always, run: () => setZoom(1) },
];

/** Runs a command and keeps the keyboard focus on the selection. */
export function runOnCanvas(editor: Editor, command: DocumentCommand): void {
  let hasRun = false;
  flushSync(() => {
    hasRun = runCommand(editor, command, "canvas");
  });
  if (hasRun) focusSelected(editor);
}

export function focusSelected(editor: Editor): void {
  const { selection } = editor.flow;
  const card = selection === undefined ? null : cardOf(pathKey(selection));
  if (card !== document.activeElement) card?.focus();
}

export const cardOf = (key: string): HTMLElement | null => document.querySelector<HTMLElement>(`.canvas [data-key="${CSS.escape(key)}"]`);

function positionInSelection({ flow }: Editor): ReturnType<typeof positionInside> {
  return positionInside(flow, flow.selection, (name) => {
    const view = currentCatalog()?.step(name);
    return view !== undefined && holdsSteps(view);
  });
}

/** The step whose branches are affected: the selected one, or the owner of the selected branch. */
function branchOwner({ flow }: Editor): readonly (string | number)[] | undefined {
  const catalog = currentCatalog();
  const step = selectedStep(flow);
  if (step !== undefined) return (catalog?.branches(step.name).length ?? 0) > 0 ? step.path : undefined;
  const block = flow.selection === undefined ? undefined : blockAt(flow, flow.selection);
  if (block === undefined) return undefined;
  const end = typeof block.path.at(-1) === "number" ? -3 : -2;
  return block.path.slice(0, end);
}

/** Moves the focus to the first matching field of the inspector. */
function focusInspector(selector = "input, select, textarea"): void {
  flushSync(() => useCanvasUi.setState({ isSheetOpen: true }));
  const inspector = document.querySelector(".editor__inspector");
  const field =
    inspector?.querySelector<HTMLElement>(`[role=tabpanel] :is(${selector})`) ?? inspector?.querySelector<HTMLElement>("input, select, textarea, button");
  if (field instanceof HTMLInputElement) field.select();
  field?.focus();
}

/** Switches between top to bottom and left to right; the selected card, else the trigger, stays in view. */
function toggleDirection(editor: Editor): void {
  flushSync(() => setDirection(useCanvasUi.getState().direction === "down" ? "right" : "down"));
  const pane = document.querySelector<HTMLElement>(".canvas");
  if (pane !== null) showTrigger(pane);
  if (editor.flow.selection !== undefined) cardOf(pathKey(editor.flow.selection))?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** The padding of the content and the gap between routes, see canvas.css. */
const padding = { inline: 48, block: 72, route: 72 };

/** Sets the largest zoom, up to 100%, at which all routes fit. */
function fit(): void {
  fitOnce();
  // Cards that were out of view are measured only after this layout.
  requestAnimationFrame(() => requestAnimationFrame(fitOnce));
}

function fitOnce(): void {
  const pane = document.querySelector<HTMLElement>(".canvas");
  const content = pane?.querySelector<HTMLElement>(".canvas__content");
  if (pane === null || pane === undefined || content === null || content === undefined) return;
  const { zoom } = useCanvasUi.getState();
  const rect = { width: 0, height: 0 };
  for (const route of content.querySelectorAll<HTMLElement>(".route")) {
    const box = route.getBoundingClientRect();
    rect.width = Math.max(rect.width, box.width / zoom);
    rect.height += box.height / zoom + padding.route;
  }
  if (rect.width === 0) return;
  flushSync(() => setZoom(Math.min(1, pane.clientWidth / (rect.width + padding.inline), pane.clientHeight / (rect.height + padding.block))));
  showTrigger(pane);
}

/** Scrolls to the edge where the flow starts and centers the first trigger along that edge. */
export function showTrigger(pane: HTMLElement): void {
  const trigger = pane.querySelector(".card")?.getBoundingClientRect();
  if (trigger === undefined) return pane.scrollTo({ top: 0, left: 0 });
  const view = pane.getBoundingClientRect();
  if (useCanvasUi.getState().direction === "right")
    pane.scrollTo({ left: 0, top: pane.scrollTop + trigger.top + trigger.height / 2 - view.top - view.height / 2 });
  else pane.scrollTo({ top: 0, left: pane.scrollLeft + trigger.left + trigger.width / 2 - view.left - view.width / 2 });
}
