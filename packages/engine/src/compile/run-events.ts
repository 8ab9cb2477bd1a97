import type { Exchange } from "../exchange/exchange.ts";
import type { Run } from "../exchange/run.ts";
import type { FlowError } from "../errors/flow-error.ts";

/** Run lifecycle listener. Called on the hot path: must be fast and must not throw. */
export interface RunEvents {
  started(run: Run, exchange: Exchange): void;
  ended(run: Run, exchange: Exchange): void;
  retrying(run: Run, exchange: Exchange, error: FlowError, delayMs: number): void;
}
