import type { Clock } from "@sluice/engine";

/** The longest wait setTimeout takes; a longer one would fire at once. */
const longestTimeout = 2 ** 31 - 1;

/** The machine's clocks and timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after,
  breathe: () => new Promise((resolve) => setImmediate(resolve)),
};

function after(ms: number, run: () => void): () => void {
  if (ms <= longestTimeout) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  }
  let cancel = (): void => clearTimeout(timer);
  const timer = setTimeout(() => {
    cancel = after(ms - longestTimeout, run);
  }, longestTimeout);
  return () => cancel();
}
