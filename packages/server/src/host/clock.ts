import type { Clock } from "@sluice/engine";
import { TurnQueue } from "./turn-queue.ts";

/** Maximum delay of setTimeout; a timer with a longer delay fires at once. */
const maxTimeoutMs = 2 ** 31 - 1;

const turns = new TurnQueue();

/** The clocks and timers of the system. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after,
  yieldToEventLoop: () => turns.wait(),
};

function after(ms: number, run: () => void): () => void {
  if (ms <= maxTimeoutMs) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  }
  let cancel = (): void => clearTimeout(timer);
  const timer = setTimeout(() => {
    cancel = after(ms - maxTimeoutMs, run);
  }, maxTimeoutMs);
  return () => cancel();
}
