// What the canvas remembers beside the document: what is folded, how large it is drawn, which small window is open.
import type { Path } from "@sluice/model";
import { create } from "zustand";
import type { Place } from "../document/step-edits.ts";

/** What the list of steps was opened for. */
export type PickerRequest =
  | { readonly for: "insert"; readonly place: Place }
  | { readonly for: "wrap" }
  | { readonly for: "replace" }
  | { readonly for: "element" }
  | { readonly for: "branch"; readonly step: Path };

interface CanvasUi {
  /** Ids of folded steps, with their route's. */
  readonly folded: ReadonlySet<string>;
  readonly zoom: number;
  readonly picker: PickerRequest | undefined;
  readonly menu: { readonly x: number; readonly y: number } | undefined;
  readonly finding: boolean;
}

export const useCanvasUi = create<CanvasUi>(() => ({ folded: new Set(), zoom: 1, picker: undefined, menu: undefined, finding: false }));

export function setFolded(id: string, folded: boolean): void {
  useCanvasUi.setState(({ folded: before }) => {
    const next = new Set(before);
    if (folded) next.add(id);
    else next.delete(id);
    return { folded: next };
  });
}

const smallestZoom = 0.2;
const largestZoom = 2;

export function setZoom(zoom: number): void {
  useCanvasUi.setState({ zoom: Math.round(Math.min(largestZoom, Math.max(smallestZoom, zoom)) * 100) / 100 });
}

export const openPicker = (picker: PickerRequest | undefined): void => useCanvasUi.setState({ picker, menu: undefined });
