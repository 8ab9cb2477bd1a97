import { useCallback, useEffect, useState } from "react";

export type Polled<T> = { readonly value: T } | { readonly error: string } | undefined;

/** Calls `load` once and, with `pollMs`, repeatedly while the page is visible. The returned function calls it immediately. `load` must be stable. */
export function usePolled<T>(load: (() => Promise<T>) | undefined, pollMs: number | undefined): readonly [Polled<T>, () => void] {
  const [polled, setPolled] = useState<Polled<T>>(undefined);
  const [refreshes, setRefreshes] = useState(0);
  useEffect(() => {
    if (load === undefined) return;
    let current = true;
    const poll = (): void =>
      void load().then(
        (value) => current && setPolled({ value }),
        (error: Error) => current && setPolled({ error: error.message }),
      );
    poll();
    const timer = pollMs === undefined ? undefined : setInterval(() => document.visibilityState === "visible" && poll(), pollMs);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [load, pollMs, refreshes]);
  return [polled, useCallback(() => setRefreshes((count) => count + 1), [])];
}
