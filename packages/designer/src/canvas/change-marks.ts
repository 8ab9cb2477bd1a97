// The marks of a review on the canvas: which cards a deployment adds, changes or moves, and which steps it removes. None by default.
import type { EntityOutline, RouteOutline, StepChange, StepOutline } from "@sluice/model";
import { create } from "zustand";

export type ChangeKind = StepChange["change"];

export interface CardChange {
  readonly kind: ChangeKind;
  /** The changed options, which the card shows; empty when no options changed. */
  readonly text: string;
}

export interface ChangeMarks {
  /** By path key. */
  readonly cards: ReadonlyMap<string, CardChange>;
  /** Removed steps by their position in the current list, see `removedKey`. */
  readonly removed: ReadonlyMap<string, readonly StepOutline[]>;
  readonly removedRoutes: readonly RouteOutline[];
  /** Removed top-level elements other than routes. */
  readonly removedElements: readonly EntityOutline[];
}

export const noMarks: ChangeMarks = { cards: new Map(), removed: new Map(), removedRoutes: [], removedElements: [] };

export const useChangeMarks = create<ChangeMarks>(() => noMarks);

/** The key of a position in a list: `index` is the index of the step after the position, or the length of the list for the end. */
export const removedKey = (listKey: string, index: number): string => `${listKey}:${index}`;

/** Signs, so that the kind of change does not depend on color. */
export const changeSigns: Readonly<Record<ChangeKind, string>> = { added: "+", changed: "~", moved: "↕", removed: "−" };
