// The signals that stop a command. All of them shut it down gracefully; the default action of SIGHUP would exit without draining.
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Signals within this time of the first one are duplicates: a terminal signals every process of its group and parents forward
 * signals, so a child often receives two.
 */
const sameRequestMs = 500;

/** Aborts on the first stop signal of the process; a later signal exits immediately. */
export function stopSignal(): { readonly signal: AbortSignal; dispose(): void } {
  const stop = new AbortController();
  let firstSignalAt = 0;
  const interrupt = (): void => {
    if (stop.signal.aborted) {
      if (performance.now() - firstSignalAt > sameRequestMs) process.exit(130);
      return;
    }
    firstSignalAt = performance.now();
    stop.abort();
  };
  for (const name of stopSignals) process.on(name, interrupt);
  return {
    signal: stop.signal,
    dispose() {
      for (const name of stopSignals) process.off(name, interrupt);
    },
  };
}
