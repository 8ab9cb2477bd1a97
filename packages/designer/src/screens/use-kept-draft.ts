// Unsaved drafts of the mapping and access editors. They are only in the page's memory, because they may contain secrets: they survive navigation,
// and closing the page asks for confirmation.
import { useCallback, useEffect, useState } from "react";

const kept = new Map<string, unknown>();

function ask(event: BeforeUnloadEvent): void {
  if (kept.size > 0) event.preventDefault();
}

export const hasDraft = (key: string): boolean => kept.has(key);

/** Creates a draft before its screen is opened. */
export const keepDraft = (key: string, draft: unknown): void => void kept.set(key, draft);

export const dropDraft = (key: string): void => void kept.delete(key);

/** The part of a draft key after the prefix. */
export const draftsUnder = (start: string): readonly string[] => [...kept.keys()].filter((key) => key.startsWith(start)).map((key) => key.slice(start.length));

export interface KeptDraft<T> {
  readonly draft: T;
  readonly isChanged: boolean;
  /** True when the draft existed before this screen was opened. */
  readonly isRestored: boolean;
  change(next: T): void;
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
      // Drafts outlive their screen, and so does the warning.
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
