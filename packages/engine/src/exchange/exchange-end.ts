// Callbacks that steps and sources register for the end of an exchange: release a key, leave a throttle, acknowledge a poll.
import type { Exchange } from "./exchange.ts";

/** Calls `run` once when the exchange completes, failed or not; the last registered is called first. */
export function onExchangeEnd(exchange: Exchange, run: (exchange: Exchange) => void | Promise<void>): void {
  (exchange.completions ??= []).push(run);
}

/**
 * Calls all callbacks of a completed exchange, even if some fail; `failed` is called for every failure. Returns a promise, which never
 * rejects, only when a callback is asynchronous.
 */
export function endExchange(exchange: Exchange, failed: (error: unknown) => void): void | Promise<void> {
  const { completions } = exchange;
  if (completions === undefined) return undefined;
  exchange.completions = undefined;
  let pending: Promise<void>[] | undefined;
  for (const completion of completions.toReversed()) {
    try {
      const running = completion(exchange);
      if (running !== undefined) (pending ??= []).push(running.catch(failed));
    } catch (error) {
      failed(error);
    }
  }
  return pending === undefined ? undefined : Promise.all(pending).then(() => undefined);
}
