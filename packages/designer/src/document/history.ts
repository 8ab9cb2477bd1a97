// One undo history for all changes to a flow's text. Entries are text replacements, so undo restores the exact bytes. The number of entries is limited.
import { applySplice, type Path, type Splice } from "@sluice/model";

/** The origin of a change. Continuous typing in the source editor or in a form is merged into one entry; other changes are separate entries. */
export type Origin = "canvas" | "form" | "source" | "command";

export interface Change {
  readonly splice: Splice;
  readonly inverse: Splice;
  readonly label: string;
  readonly origin: Origin;
  /** Time in milliseconds; only differences between changes are used. */
  readonly at: number;
  readonly selectionBefore: Path | undefined;
  /** Consecutive changes with the same group are merged, such as all typing in a field until it loses focus. */
  readonly group?: string;
}

export interface History {
  readonly past: readonly Change[];
  readonly future: readonly Change[];
  /** Number of entries at the last save; undefined when undo and redo can no longer reach that state. */
  readonly savedAt: number | undefined;
}

const maxEntries = 1000;
const joinWithinMs = 800;

export const emptyHistory: History = { past: [], future: [], savedAt: 0 };

/** The replacement that restores the previous text. */
export function invert(text: string, { start, end, text: inserted }: Splice): Splice {
  return { start, end: start + inserted.length, text: text.slice(start, end) };
}

export function record(history: History, change: Change): History {
  const last = history.past.at(-1);
  const joined = last !== undefined && history.savedAt !== history.past.length ? join(last, change) : undefined;
  if (joined !== undefined) return { past: [...history.past.slice(0, -1), joined], future: [], savedAt: history.savedAt };
  const past = [...history.past, change];
  const evicted = Math.max(0, past.length - maxEntries);
  const reachable = history.savedAt !== undefined && history.savedAt <= history.past.length && history.savedAt >= evicted;
  return { past: past.slice(evicted), future: [], savedAt: reachable ? history.savedAt - evicted : undefined };
}

/**
 * Merges a change into the last entry if both have the same group and nothing was saved in between; otherwise undefined. `before` and `after` are the
 * text before and after the change.
 */
export function recordGrouped(history: History, change: Change, before: string, after: string): History | undefined {
  const last = history.past.at(-1);
  if (change.group === undefined || last?.group !== change.group || history.savedAt === history.past.length) return undefined;
  const original = applySplice(before, last.inverse);
  const past = history.past.slice(0, -1);
  if (original === after) return { past, future: [], savedAt: history.savedAt };
  const splice = difference(original, after);
  return { past: [...past, { ...last, splice, inverse: invert(original, splice), at: change.at }], future: [], savedAt: history.savedAt };
}

/** The smallest replacement that turns `before` into `after`. */
export function difference(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  const start = commonLength(shorter, (from, to) => before.slice(from, to) === after.slice(from, to));
  const { length: oldLength } = before;
  const { length: newLength } = after;
  const suffix = commonLength(shorter - start, (from, to) => before.slice(oldLength - to, oldLength - from) === after.slice(newLength - to, newLength - from));
  return { start, end: oldLength - suffix, text: after.slice(start, newLength - suffix) };
}

/** Length of the common prefix or suffix up to `limit`, by binary search: comparing substrings is much faster than comparing characters. */
function commonLength(limit: number, isSame: (from: number, to: number) => boolean): number {
  let low = 0;
  let high = limit;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isSame(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function markSaved(history: History): History {
  return { ...history, savedAt: history.past.length };
}

/** Number of undo or redo steps between the current and the saved text. */
export function stepsFromSaved({ past, savedAt }: History): number {
  return savedAt === undefined ? Math.max(1, past.length) : Math.abs(past.length - savedAt);
}

export interface UndoResult {
  readonly text: string;
  readonly history: History;
  readonly change: Change;
}

export function undo(text: string, history: History): UndoResult | undefined {
  const change = history.past.at(-1);
  if (change === undefined) return undefined;
  return { text: applySplice(text, change.inverse), change, history: { ...history, past: history.past.slice(0, -1), future: [change, ...history.future] } };
}

export function redo(text: string, history: History): UndoResult | undefined {
  const change = history.future[0];
  if (change === undefined) return undefined;
  return { text: applySplice(text, change.splice), change, history: { ...history, past: [...history.past, change], future: history.future.slice(1) } };
}

/** Merges two typing changes when the second continues the first. */
function join(first: Change, second: Change): Change | undefined {
  if (first.group !== undefined || second.group !== undefined) return undefined;
  if (first.origin !== second.origin || (first.origin !== "source" && first.label !== second.label)) return undefined;
  if (first.origin !== "source" && first.origin !== "form") return undefined;
  if (second.at - first.at > joinWithinMs || second.splice.text.includes("\n") || first.splice.text.includes("\n")) return undefined;
  const typed = first.splice.text;
  const from = second.splice.start - first.splice.start;
  const to = second.splice.end - first.splice.start;
  if (from < 0 || to > typed.length) return undefined;
  const text = typed.slice(0, from) + second.splice.text + typed.slice(to);
  const splice = { ...first.splice, text };
  return { ...first, splice, inverse: { ...first.inverse, end: splice.start + text.length }, at: second.at };
}
