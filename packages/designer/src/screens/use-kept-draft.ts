// Unsaved work of the mapping and access editors. It stays in the page's memory only, because it may hold secrets: other
// screens can be visited meanwhile, and leaving the page asks first.
import { useCallback, useEffect, useState } from "react";

const kept = new Map<string, unknown>();

function ask(event: BeforeUnloadEvent): void {
  if (kept.size > 0) event.preventDefault();
}

export const hasDraft = (key: string): boolean => kept.has(key);

/** Begins work before its screen is opened. */
export const keepDraft = (key: string, draft: unknown): void => void kept.set(key, draft);

export const dropDraft = (key: string): void => void kept.delete(key);

/** What follows the start in the names of kept work. */
export const draftsUnder = (start: string): readonly string[] => [...kept.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));

export interface KeptDraft<T> {
  readonly draft: T;
  readonly isChanged: boolean;
  /** True when the work was begun before this screen was opened. */
  readonly isRestored: boolean;
  change(next: T): void;
  /** Goes back to what is saved, or to what has just been saved. */
  settle(saved: T): void;
}

/** Work that survives a visit to another screen. `key` names what is edited, `saved` is where it starts. */
export function useKeptDraft<T>(key: string, saved: T): KeptDraft<T> {
  const [isRestored, setRestored] = useState(() => kept.has(key));
  const [draft, setDraft] = useState<T>(() => (kept.has(key) ? (kept.get(key) as T) : saved));
  const [isChanged, setChanged] = useState(() => kept.has(key));
  useEffect(() => {
    window.addEventListener("beforeunload", ask);
    return () => {
      // Kept work outlives its screen, and so does the question.
      if (kept.size === 0) window.removeEventListener("beforeunload", ask);
    };
  }, []);
  const change = useCallback(
    (next: T) => {
      kept.set(key, next);
      setDraft(next);
      setChanged(true);
    },
    [key],
  );
  const settle = useCallback(
    (next: T) => {
      kept.delete(key);
      setDraft(next);
      setChanged(false);
      setRestored(false);
    },
    [key],
  );
  return { draft, isChanged, isRestored, change, settle };
}
