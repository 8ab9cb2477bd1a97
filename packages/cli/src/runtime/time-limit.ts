/**
 * A signal that aborts after a time or with another signal, whichever comes first. `AbortSignal.any` with a timeout signal is not
 * used, because in Node 20 the timeout may be garbage-collected before it fires.
 */
export function timeLimit(ms: number, signal: AbortSignal): AbortSignal {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ms);
  const end = (): void => {
    clearTimeout(timer);
    limit.abort();
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return limit.signal;
}
