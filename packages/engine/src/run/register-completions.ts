import type { Exchange } from "../exchange/exchange.ts";
import type { Run } from "../exchange/run.ts";
import type { Awaitable } from "../spi/processor.ts";
import type { RouteProgram } from "./route-program.ts";

/** Registers the completions of a route on the exchange, together with its run in that route. */
export function registerCompletions(exchange: Exchange, completions: RouteProgram["afterReply"]): void {
  const { run } = exchange;
  for (const completion of completions) (exchange.completions ??= []).push((completed) => runInRoute(run, completed, completion));
}

/** Runs a completion in the context of its own route: by then the exchange is back in the calling route. */
function runInRoute(run: Run, exchange: Exchange, completion: RouteProgram["afterReply"][number]): Awaitable {
  const last = exchange.run;
  exchange.run = run;
  try {
    return completion(exchange);
  } finally {
    exchange.run = last;
  }
}
