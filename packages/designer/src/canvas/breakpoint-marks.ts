// The breakpoints on the cards. Computed for the whole flow; each card subscribes to its own mark.
import { create } from "zustand";

export type BreakpointMark = "set" | "held";

/** By path key. */
export const useBreakpointMarks = create<{ readonly cards: ReadonlyMap<string, BreakpointMark> }>(() => ({ cards: new Map() }));
