import type { Awaitable, Clock, Exchange, FlowError, Processor } from "@sluice/engine/spi";
import { pause } from "@sluice/engine/tools";
import { settle } from "../settle.ts";

const maxTries = 5;
const waitMs = 5000;

/** Retries a call to a participant before it counts as failed, because the participant must get the outcome. */
export function retrying(call: Processor, clock: Clock): Processor {
  const attempt = (exchange: Exchange, tried: number): Awaitable =>
    settle(
      () => call(exchange),
      () => undefined,
      (error: FlowError) => {
        if (tried >= maxTries) throw error;
        const waiting = pause(exchange, waitMs, clock);
        return waiting instanceof Promise ? waiting.then(() => attempt(exchange, tried + 1)) : attempt(exchange, tried + 1);
      },
    );
  return (exchange) => attempt(exchange, 1);
}
