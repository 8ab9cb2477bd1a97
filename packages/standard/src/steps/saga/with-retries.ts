import type { Awaitable, Clock, Exchange, FlowError, Processor } from "@sluice/engine/spi";
import { pause } from "@sluice/engine/tools";
import { settle } from "../settle.ts";

const maxAttempts = 5;
const waitMs = 5000;

/** Retries a failed call to a participant, because every participant must receive the outcome of the saga. */
export function withRetries(call: Processor, clock: Clock): Processor {
  const attempt = (exchange: Exchange, attempts: number): Awaitable =>
    settle(
      () => call(exchange),
      () => undefined,
      (error: FlowError) => {
        if (attempts >= maxAttempts) throw error;
        const waiting = pause(exchange, waitMs, clock);
        return waiting instanceof Promise ? waiting.then(() => attempt(exchange, attempts + 1)) : attempt(exchange, attempts + 1);
      },
    );
  return (exchange) => attempt(exchange, 1);
}
