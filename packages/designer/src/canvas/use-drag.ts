// Drags cards to gaps and pans the canvas. Both have keyboard equivalents (Alt+arrow keys, scrolling).
import { useRef, type DragEvent, type PointerEvent } from "react";
import { type Path, pathKey } from "@sluice/model";
import { moveStepsTo } from "../commands/move-step.ts";
import type { Editor } from "../document/editor.ts";
import { selectedSteps, stepAt } from "../document/open-flow.ts";
import type { StepPosition } from "../document/step-edits.ts";
import { strings } from "../strings.ts";
import { runOnCanvas } from "./canvas-actions.ts";

const stepsType = "application/x-sluice-steps";

/** Parses a key back to its path: list indexes are numbers. */
export function pathOf(key: string): Path {
  return key.split("/").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** The position of a gap: the end of its list, or before the card that follows. */
export function positionOf(element: Element | null): StepPosition | undefined {
  const gap = element?.closest<HTMLElement>(".gap, [data-list]");
  if (gap === null || gap === undefined) return undefined;
  const { list, index } = gap.dataset;
  if (list !== undefined) return { listPath: pathOf(list), index: Number(index) };
  const path = pathOf((gap.nextElementSibling as HTMLElement | null)?.dataset["key"] ?? "");
  return { listPath: path.slice(0, -1), index: Number(path.at(-1)) };
}

export function useCardDrag(editor: Editor) {
  const highlighted = useRef<Element | undefined>(undefined);
  const highlight = (gap: Element | undefined): void => {
    if (highlighted.current === gap) return;
    highlighted.current?.removeAttribute("data-over");
    gap?.setAttribute("data-over", "");
    highlighted.current = gap;
  };
  return {
    onDragStart(event: DragEvent<HTMLElement>) {
      const key = (event.target as HTMLElement).dataset["key"];
      const step = key === undefined ? undefined : stepAt(editor.flow, pathOf(key));
      if (step === undefined) return;
      if (!selectedSteps(editor.flow).some((selected) => pathKey(selected.path) === key)) editor.select(step.path);
      event.dataTransfer.setData(stepsType, key ?? "");
      event.dataTransfer.effectAllowed = "move";
    },
    onDragOver(event: DragEvent<HTMLElement>) {
      if (!event.dataTransfer.types.includes(stepsType)) return;
      const gap = (event.target as Element).closest(".gap") ?? undefined;
      highlight(gap);
      if (gap !== undefined) event.preventDefault();
    },
    onDragEnd: () => highlight(undefined),
    onDrop(event: DragEvent<HTMLElement>) {
      const position = positionOf(event.target as Element);
      highlight(undefined);
      if (position === undefined || !event.dataTransfer.types.includes(stepsType)) return;
      event.preventDefault();
      runOnCanvas(editor, moveStepsTo(strings.canvas.moveSteps, position));
    },
  };
}

/** Pans the view while the empty canvas is dragged. */
export function usePan() {
  const panStart = useRef<{ readonly x: number; readonly y: number; readonly left: number; readonly top: number } | undefined>(undefined);
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const onCard = (event.target as Element).closest("[role=treeitem], .gap, [data-branch-of], button, input") !== null;
      if (onCard || (event.button !== 0 && event.button !== 1)) return;
      const { scrollLeft: left, scrollTop: top } = event.currentTarget;
      panStart.current = { x: event.clientX, y: event.clientY, left, top };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (panStart.current === undefined) return;
      event.currentTarget.scrollTo({
        left: panStart.current.left - (event.clientX - panStart.current.x),
        top: panStart.current.top - (event.clientY - panStart.current.y),
      });
    },
    onPointerUp: () => {
      panStart.current = undefined;
    },
  };
}
