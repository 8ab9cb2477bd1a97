// Keyboard handling of a tree: arrow keys, Home and End navigate; other keys run actions or commands.
import type { KeyboardEvent } from "react";
import { documentCommands } from "../commands/document-commands.ts";
import { matchesShortcut } from "../commands/shortcut.ts";
import type { Editor } from "../document/editor.ts";
import { everyStep, pathKey, type Outline, type StepOutline } from "@sluice/model";
import { selectedStep, stepAt } from "../document/open-flow.ts";
import { canvasActions, cardOf, runOnCanvas } from "./canvas-actions.ts";
import { setCollapsed, useCanvasUi } from "./canvas-ui.ts";

export function onTreeKey(event: KeyboardEvent<HTMLElement>, editor: Editor): void {
  if (!(event.target instanceof HTMLElement) || event.target.getAttribute("role") !== "treeitem") return;
  const press = rotate(pressOf(event));
  if (navigate(event, press.key, editor)) return event.preventDefault();
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
    const box = event.target.getBoundingClientRect();
    useCanvasUi.setState({ menu: { x: box.left + 24, y: box.bottom } });
  }
}

const pressOf = ({ key, code, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent) => ({ key, code, ctrlKey, metaKey, altKey, shiftKey });

const rotatedKeys: Readonly<Record<string, string>> = { ArrowRight: "ArrowDown", ArrowLeft: "ArrowUp", ArrowDown: "ArrowRight", ArrowUp: "ArrowLeft" };

/** In a flow drawn left to right, the right arrow moves to the next step, like the down arrow in one drawn top to bottom. */
function rotate(press: ReturnType<typeof pressOf>): ReturnType<typeof pressOf> {
  const key = useCanvasUi.getState().direction === "right" ? rotatedKeys[press.key] : undefined;
  return key === undefined ? press : { ...press, key, code: key };
}

/** True when the key was a navigation key. */
function navigate(event: KeyboardEvent<HTMLElement>, key: string, editor: Editor): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey) return false;
  if (event.shiftKey) return key === "ArrowDown" ? extend(editor, 1) : key === "ArrowUp" ? extend(editor, -1) : false;
  const target = event.target as HTMLElement;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
  const at = items.indexOf(target);
  const expanded = target.getAttribute("aria-expanded");
  const level = (item: HTMLElement | undefined): number => Number(item?.getAttribute("aria-level") ?? 0);
  switch (key) {
    case "ArrowDown":
      return focus(items[at + 1]);
    case "ArrowUp":
      return focus(items[at - 1]);
    case "Home":
      return focus(items[0]);
    case "End":
      return focus(items.at(-1));
    case "ArrowRight":
      return expanded === "false" ? setSelectedCollapsed(editor, false) : focus(level(items[at + 1]) > level(target) ? items[at + 1] : undefined);
    case "ArrowLeft":
      return expanded === "true" ? setSelectedCollapsed(editor, true) : focus(items.slice(0, at).findLast((item) => level(item) < level(target)));
    default:
      return false;
  }
}

function focus(item: HTMLElement | undefined): boolean {
  item?.focus();
  return true;
}

function setSelectedCollapsed(editor: Editor, collapsed: boolean): boolean {
  const id = collapsibleIdOf(editor);
  if (id !== undefined) setCollapsed(id, collapsed);
  return true;
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

/** Extends the selection by one step. */
function extend(editor: Editor, by: 1 | -1): boolean {
  const lead = selectedStep(editor.flow);
  const next = lead === undefined ? undefined : stepAt(editor.flow, [...lead.listPath, lead.index + by]);
  if (lead === undefined || next === undefined) return true;
  editor.select(next.path, editor.flow.anchor ?? lead.index);
  cardOf(pathKey(next.path))?.focus();
  return true;
}
