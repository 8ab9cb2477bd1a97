/**
 * A signal that is given after a time or together with another, whichever comes first. Not `AbortSignal.any` over a timeout: in Node 20
 * the collector may take the timeout away before it fires.
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
