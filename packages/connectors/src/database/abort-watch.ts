const watched = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `aborted` when the signal is aborted, until the returned function is called. All callers share one event listener per signal,
 * because a run may execute thousands of statements.
 */
export function watchAbort(signal: AbortSignal, aborted: () => void): () => void {
  let watchers = watched.get(signal);
  if (watchers === undefined) {
    const all = (watchers = new Set());
    watched.set(signal, all);
    const abortAll = (): void => {
      for (const watcher of [...all]) watcher();
    };
    signal.addEventListener("abort", abortAll, { once: true });
  }
  const signalWatchers = watchers;
  signalWatchers.add(aborted);
  return () => void signalWatchers.delete(aborted);
}
