import { processEnvironment } from "@sluice/server/config";

// The signals that stop a command. All of them shut it down gracefully; the default action of SIGHUP would exit without draining.
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Signals within this time of the first one are duplicates: a terminal signals every process of its group and parents forward
 * signals, so a child often receives two.
 */
const sameRequestMs = 500;

const parentCheckMs = 1_000;

/** Aborts on the first stop signal of the process, and when the package runner that started it ends; a later signal exits immediately. */
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
  const parentCheck = watchParent(() => stop.abort());
  return {
    signal: stop.signal,
    dispose() {
      clearInterval(parentCheck);
      for (const name of stopSignals) process.off(name, interrupt);
    },
  };
}

/**
 * A package runner such as npx starts a command in a shell and signals only the shell, whose end would leave the command running without a
 * terminal. Other parents may end before the command: it is then a background process.
 */
function watchParent(ended: () => void): NodeJS.Timeout | undefined {
  if (processEnvironment["npm_lifecycle_event"] === undefined) return undefined;
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) ended();
  }, parentCheckMs).unref();
}
