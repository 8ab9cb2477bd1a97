// Unsaved drafts of the mapping, connection, access and test editors. They are held only in the memory of the page, because they may contain secrets: they
// survive navigation, and closing the page asks for confirmation.
import { useCallback, useEffect, useRef, useState } from "react";

const drafts = new Map<string, unknown>();

interface History {
  readonly past: readonly unknown[];
  readonly future: readonly unknown[];
  /** Consecutive changes with the same group are one step. */
  readonly group: string | undefined;
}

const histories = new Map<string, History>();
const emptyHistory: History = { past: [], future: [], group: undefined };
const maxSteps = 200;

function confirmUnload(event: BeforeUnloadEvent): void {
  if (drafts.size > 0) event.preventDefault();
}

export const hasDraft = (key: string): boolean => drafts.has(key);

/** Creates a draft before its screen is opened. */
export const createDraft = (key: string, draft: unknown): void => void drafts.set(key, draft);

export const removeDraft = (key: string): void => {
  drafts.delete(key);
  histories.delete(key);
};

/** The keys of all drafts with this prefix, without the prefix. */
export const draftsUnder = (prefix: string): readonly string[] =>
  [...drafts.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));

export interface UnsavedDraft<T> {
  readonly draft: T;
  readonly isChanged: boolean;
  /** True when the draft existed before this screen was opened. */
  readonly isRestored: boolean;
  /** Changes of the same group are undone together. */
  change(next: T, group?: string): void;
  /** Undefined when there is nothing to undo. */
  readonly undo: (() => void) | undefined;
  readonly redo: (() => void) | undefined;
  /** Resets the draft to the saved version. */
  reset(saved: T): void;
}

/** A draft that survives navigation to another screen. `key` identifies the edited object, `saved` is its initial value. */
export function useUnsavedDraft<T>(key: string, saved: T): UnsavedDraft<T> {
  const [isRestored, setRestored] = useState(() => drafts.has(key));
  const [draft, setDraft] = useState<T>(() => (drafts.has(key) ? (drafts.get(key) as T) : saved));
  const [isChanged, setChanged] = useState(() => drafts.has(key));
  useEffect(() => {
    window.addEventListener("beforeunload", confirmUnload);
    return () => {
      if (!drafts.has(key)) histories.delete(key);
      // Drafts outlive their screen, and so does the warning.
      if (drafts.size === 0) window.removeEventListener("beforeunload", confirmUnload);
    };
  }, [key]);
  const [history, setHistory] = useState(() => histories.get(key) ?? emptyHistory);
  const latest = useRef(draft);
  latest.current = draft;
  const apply = useCallback(
    (next: T, nextHistory: History) => {
      drafts.set(key, next);
      histories.set(key, nextHistory);
      setHistory(nextHistory);
      setDraft(next);
      setChanged(true);
    },
    [key],
  );
  const change = useCallback(
    (next: T, group?: string) => {
      const { past, group: last } = histories.get(key) ?? emptyHistory;
      const isSame = group !== undefined && group === last;
      apply(next, { past: isSame ? past : [...past.slice(-maxSteps), latest.current], future: [], group });
    },
    [key, apply],
  );
  const step = (from: readonly unknown[], isUndo: boolean) =>
    from.length === 0
      ? undefined
      : () => {
          const rest = from.slice(0, -1);
          const other = [...(isUndo ? history.future : history.past), latest.current];
          apply(from.at(-1) as T, { past: isUndo ? rest : other, future: isUndo ? other : rest, group: undefined });
        };
  const reset = useCallback(
    (next: T) => {
      drafts.delete(key);
      setDraft(next);
      setChanged(false);
      setRestored(false);
    },
    [key],
  );
  return { draft, isChanged, isRestored, change, undo: step(history.past, true), redo: step(history.future, false), reset };
}
