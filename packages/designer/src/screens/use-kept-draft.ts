// Unsaved drafts of the mapping and access editors. They are only in the page's memory, because they may contain secrets: they survive navigation,
// and closing the page asks for confirmation.
import { useCallback, useEffect, useRef, useState } from "react";

const kept = new Map<string, unknown>();

interface Past {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
  /** Consecutive changes with the same group are one step. */
  readonly group: string | undefined;
}

const pasts = new Map<string, Past>();
const noPast: Past = { before: [], after: [], group: undefined };
const maxSteps = 200;

function ask(event: BeforeUnloadEvent): void {
  if (kept.size > 0) event.preventDefault();
}

export const hasDraft = (key: string): boolean => kept.has(key);

/** Creates a draft before its screen is opened. */
export const keepDraft = (key: string, draft: unknown): void => void kept.set(key, draft);

export const dropDraft = (key: string): void => {
  kept.delete(key);
  pasts.delete(key);
};

/** The part of a draft key after the prefix. */
export const draftsUnder = (start: string): readonly string[] => [...kept.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));

export interface KeptDraft<T> {
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
  settle(saved: T): void;
}

/** A draft that survives navigation to another screen. `key` identifies the edited object, `saved` is its initial value. */
export function useKeptDraft<T>(key: string, saved: T): KeptDraft<T> {
  const [isRestored, setRestored] = useState(() => kept.has(key));
  const [draft, setDraft] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : saved));
  const [isChanged, setChanged] = useState(() => kept.has(key));
  useEffect(() => {
    window.addEventListener("beforeunload", ask);
    return () => {
      if (!kept.has(key)) pasts.delete(key);
      // Drafts outlive their screen, and so does the warning.
      if (kept.size === 0) window.removeEventListener("beforeunload", ask);
    };
  }, [key]);
  const [past, setPast] = useState(() => pasts.get(key) ?? noPast);
  const latest = useRef(draft);
  latest.current = draft;
  const put = useCallback(
    (next: T, after: Past) => {
      kept.set(key, next);
      pasts.set(key, after);
      setPast(after);
      setDraft(next);
      setChanged(true);
    },
    [key],
  );
  const change = useCallback(
    (next: T, group?: string) => {
      const { before, group: last } = pasts.get(key) ?? noPast;
      const isSame = group !== undefined && group === last;
      put(next, { before: isSame ? before : [...before.slice(-maxSteps), latest.current], after: [], group });
    },
    [key, put],
  );
  const step = (from: readonly unknown[], isUndo: boolean) =>
    from.length === 0
      ? undefined
      : () => {
          const rest = from.slice(0, -1);
          const other = [...(isUndo ? past.after : past.before), latest.current];
          put(from.at(-1) as T, { before: isUndo ? rest : other, after: isUndo ? other : rest, group: undefined });
        };
  const settle = useCallback(
    (next: T) => {
      kept.delete(key);
      setDraft(next);
      setChanged(false);
      setRestored(false);
    },
    [key],
  );
  return { draft, isChanged, isRestored, change, undo: step(past.before, true), redo: step(past.after, false), settle };
}
