// State of the canvas outside the document: collapsed steps, zoom, open popup.
import type { Path } from "@sluice/model";
import { create } from "zustand";
import type { StepPosition } from "../document/step-edits.ts";
import { readSetting, writeSetting } from "../workspace/workspace-store.ts";

/** The purpose for which the step list was opened. */
export type PickerRequest =
  | { readonly for: "insert"; readonly position: StepPosition }
  | { readonly for: "wrap" }
  | { readonly for: "replace" }
  | { readonly for: "element" }
  | { readonly for: "branch"; readonly step: Path };

/** The direction in which steps are drawn. */
export type Direction = "down" | "right";

interface CanvasUi {
  /** Keys of collapsed steps (`<route>/<step>`) and elements (`element/<path key>`). */
  readonly collapsed: ReadonlySet<string>;
  readonly zoom: number;
  /** Stored in this browser, never in the flow. */
  readonly direction: Direction;
  readonly picker: PickerRequest | undefined;
  readonly menu: { readonly x: number; readonly y: number } | undefined;
  readonly isFindOpen: boolean;
  /** In a narrow window: whether the inspector is open over the canvas. */
  readonly isSheetOpen: boolean;
}

const directionKey = "sluice.direction";

export const useCanvasUi = create<CanvasUi>(() => ({
  collapsed: new Set(),
  zoom: 1,
  direction: readSetting(directionKey) === "right" ? "right" : "down",
  picker: undefined,
  menu: undefined,
  isFindOpen: false,
  isSheetOpen: false,
}));

export function setDirection(direction: Direction): void {
  useCanvasUi.setState({ direction });
  writeSetting(directionKey, direction);
}

export function setCollapsed(id: string, collapsed: boolean): void {
  useCanvasUi.setState(({ collapsed: before }) => {
    const next = new Set(before);
    if (collapsed) next.add(id);
    else next.delete(id);
    return { collapsed: next };
  });
}

const minZoom = 0.05;
const maxZoom = 2;

export function setZoom(zoom: number): void {
  useCanvasUi.setState({ zoom: Math.round(Math.min(maxZoom, Math.max(minZoom, zoom)) * 1000) / 1000 });
}

export const openPicker = (picker: PickerRequest | undefined): void => useCanvasUi.setState({ picker, menu: undefined });
