// Keyboard handling of the canvas: arrow keys, Home and End navigate; other keys run actions or commands.
import type { KeyboardEvent } from "react";
import { documentCommands } from "../commands/document-commands.ts";
import { matchesShortcut } from "../commands/shortcut.ts";
import type { Editor } from "../document/editor.ts";
import { everyStep, pathKey, type Outline, type StepOutline } from "@sluice/model";
import { selectedStep, stepAt } from "../document/open-flow.ts";
import { useTree } from "../controls/use-tree.ts";
import { canvasActions, cardOf, runOnCanvas } from "./canvas-actions.ts";
import { setCollapsed, useCanvasUi } from "./canvas-ui.ts";

export function useCanvasKeys(editor: Editor): (event: KeyboardEvent<HTMLElement>) => void {
  const navigate = useTree({
    setOpen(_card, isOpen) {
      const id = collapsibleIdOf(editor);
      if (id !== undefined) setCollapsed(id, !isOpen);
    },
  });
  return (event) => {
    if (!(event.target instanceof HTMLElement) || event.target.getAttribute("role") !== "treeitem") return;
    const press = rotate(pressOf(event));
    if (extendSelection(press, editor)) event.preventDefault();
    else if (!navigate(event, press.key)) runShortcut(event, press, editor);
  };
}

function runShortcut(event: KeyboardEvent<HTMLElement>, press: Press, editor: Editor): void {
  const action = canvasActions.find(({ shortcut, alternativeShortcut }) =>
    [shortcut, alternativeShortcut].some((keys) => keys !== undefined && matchesShortcut(keys, press)),
  );
  if (action !== undefined) {
    event.preventDefault();
    if (action.isPossible(editor)) action.run(editor);
    return;
  }
  const normalized = press.key === "Backspace" ? { ...press, key: "Delete" } : press;
  const command = documentCommands.find(({ shortcut }) => shortcut !== undefined && matchesShortcut(shortcut, normalized));
  if (command !== undefined) {
    event.preventDefault();
    runOnCanvas(editor, command);
  } else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey) || event.key === ".") {
    event.preventDefault();
    const box = (event.target as HTMLElement).getBoundingClientRect();
    useCanvasUi.setState({ menu: { x: box.left + 24, y: box.bottom } });
  }
}

type Press = ReturnType<typeof pressOf>;

const pressOf = ({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) => ({ key, code, ctrlKey, metaKey, altKey, shiftKey });

const rotatedKeys: Readonly<Record<string, string>> = { ArrowRight: "ArrowDown", ArrowLeft: "ArrowUp", ArrowDown: "ArrowRight", ArrowUp: "ArrowLeft" };

/** In a flow drawn left to right, the right arrow moves to the next step, like the down arrow in one drawn top to bottom. */
function rotate(press: Press): Press {
  const key = useCanvasUi.getState().direction === "right" ? rotatedKeys[press.key] : undefined;
  return key === undefined ? press : { ...press, key, code: key };
}

/** The key under which the collapsed state of the selected step or element is stored. */
function collapsibleIdOf({ flow }: Editor): string | undefined {
  const { outline } = flow.lastValid ?? {};
  const step = selectedStep(flow);
  if (outline === undefined || flow.selection === undefined) return undefined;
  if (step === undefined) {
    const key = pathKey(flow.selection);
    return outline.entities.some((entity) => pathKey(entity.path) === key) ? `element/${key}` : undefined;
  }
  return `${scopeOf(outline, step)}/${step.id}`;
}

function scopeOf(outline: Outline, step: StepOutline): string {
  for (const route of outline.routes) for (const candidate of everyStep(route.steps)) if (candidate === step) return route.id;
  return `element/${pathKey(step.path.slice(0, 1))}`;
}

/** Extends the selection by one step with Shift and an arrow key; true when the press was one of these. */
function extendSelection({ key, shiftKey, altKey, ctrlKey, metaKey }: Press, editor: Editor): boolean {
  const by = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : undefined;
  if (by === undefined || !shiftKey || altKey || ctrlKey || metaKey) return false;
  const lead = selectedStep(editor.flow);
  const next = lead === undefined ? undefined : stepAt(editor.flow, [...lead.listPath, lead.index + by]);
  if (lead === undefined || next === undefined) return true;
  editor.select(next.path, editor.flow.anchor ?? lead.index);
  cardOf(pathKey(next.path))?.focus();
  return true;
}
