// Mouse and clipboard handling of the canvas.
import type { ClipboardEvent, FocusEvent, MouseEvent } from "react";
import { toggleBreakpoint } from "../breakpoints/breakpoint-list.ts";
import { selectionYaml, pasteSteps } from "../commands/paste-steps.ts";
import { removeStep } from "../commands/remove-step.ts";
import type { Editor } from "../document/editor.ts";
import { pathKey } from "@sluice/model";
import { selectedSteps, stepAt } from "../document/open-flow.ts";
import { strings } from "../strings.ts";
import { canvasActions, runOnCanvas } from "./canvas-actions.ts";
import { openPicker, useCanvasUi } from "./canvas-ui.ts";
import { pathOf, positionOf } from "./use-drag.ts";

const keyOf = (target: EventTarget): string | undefined => (target as Element).closest<HTMLElement>("[data-key]")?.dataset["key"];

export function mouseHandlers(editor: Editor) {
  return {
    onFocus({ target }: FocusEvent): void {
      const key = (target as HTMLElement).dataset["key"];
      // Focusing a selected step keeps a multiple selection, so that all its steps can be dragged.
      if (key !== undefined && !selectedSteps(editor.flow).some((step) => pathKey(step.path) === key)) editor.select(pathOf(key));
    },
    onClick({ target, shiftKey }: MouseEvent): void {
      const position = positionOf(target as Element);
      if (position !== undefined) return openPicker({ for: "insert", position });
      const branchOf = (target as Element).closest<HTMLElement>("[data-branch-of]")?.dataset["branchOf"];
      if (branchOf !== undefined) return openPicker({ for: "branch", step: pathOf(branchOf) });
      const key = keyOf(target);
      if (key === undefined || shiftKey) return;
      editor.select(pathOf(key));
      if ((target as Element).closest("[data-breakpoint]") !== null) return toggleBreakpoint(editor);
      useCanvasUi.setState({ isSheetOpen: true });
    },
    /** Handled before the focus moves, so that Shift extends the selection instead of starting a new one. */
    onMouseDown({ target, shiftKey }: MouseEvent): void {
      const key = keyOf(target);
      const [first] = selectedSteps(editor.flow);
      const to = key === undefined ? undefined : stepAt(editor.flow, pathOf(key));
      if (!shiftKey || first === undefined || to === undefined || pathKey(first.listPath) !== pathKey(to.listPath)) return;
      editor.select(to.path, editor.flow.anchor ?? first.index);
    },
    onDoubleClick({ target }: MouseEvent): void {
      if (keyOf(target) !== undefined) canvasActions.find(({ name }) => name === "open")?.run(editor);
    },
    onContextMenu(event: MouseEvent): void {
      if (keyOf(event.target) === undefined) return;
      event.preventDefault();
      useCanvasUi.setState({ menu: { x: event.clientX, y: event.clientY } });
    },
  };
}

export function clipboardHandlers(editor: Editor) {
  const copy = (event: ClipboardEvent): boolean => {
    const text = selectionYaml(editor.flow);
    if (isTyping(event) || text === undefined || (document.getSelection()?.toString() ?? "") !== "") return false;
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    return true;
  };
  return {
    onCopy: (event: ClipboardEvent): void => void copy(event),
    onCut(event: ClipboardEvent): void {
      if (copy(event)) runOnCanvas(editor, removeStep);
    },
    onPaste(event: ClipboardEvent): void {
      const command = isTyping(event) ? undefined : pasteSteps(strings.canvas.paste, event.clipboardData.getData("text/plain"));
      if (command === undefined) return;
      event.preventDefault();
      runOnCanvas(editor, command);
    },
  };
}

const isTyping = ({ target }: ClipboardEvent): boolean => target instanceof Element && target.closest("input, textarea") !== null;
