import type { Awaitable, Exchange } from "@sluice/engine/spi";

/** Calls `run` once when the exchange is over, failed or not; later registrations are called first. */
export function whenOver(exchange: Exchange, run: (exchange: Exchange) => Awaitable): void {
  (exchange.completions ??= []).push(run);
}

/** Ends a copy that no route ends: its registrations are called now. */
export function endCopy(copy: Exchange): void {
  const { completions } = copy;
  if (completions === undefined) return;
  copy.completions = undefined;
  for (const run of completions.toReversed()) void run(copy);
}
