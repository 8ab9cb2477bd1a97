// Runs steps in order: synchronously until the first step that waits, then as one promise for the remaining ones. Expensive synchronous steps
// yield to the event loop in between, so that one route does not block the others.
import type { Exchange } from "../exchange/exchange.ts";
import type { Clock } from "../spi/host.ts";
import { cancelledError } from "../tools/pacing.ts";
import type { Processor } from "../spi/processor.ts";
import type { WiredStep } from "./wiring.ts";

/** How long one sequence may block the event loop. */
const sliceMs = 20;

export function sequence(steps: readonly WiredStep[], clock: Clock): Processor {
  const [only] = steps;
  if (only === undefined) return () => undefined;
  if (steps.length === 1) {
    return (exchange) => {
      if (isLarge(exchange.message.body)) return runRest(steps, 0, exchange, undefined, clock);
      exchange.at = only.node;
      return only.run(exchange);
    };
  }
  return steps.some(({ costly }) => costly) ? pacedSequence(steps, clock) : plainSequence(steps, clock);
}

/** Characters, bytes or items from which any step may be slow. */
const largeFrom = 64 * 1024;

function isLarge(body: unknown): boolean {
  return (typeof body === "string" || body instanceof Uint8Array || Array.isArray(body)) && body.length > largeFrom;
}

/** The hot path: only the steps. */
function plainSequence(steps: readonly WiredStep[], clock: Clock): Processor {
  const last = steps.length - 1;
  return (exchange) => {
    if (isLarge(exchange.message.body)) return runRest(steps, 0, exchange, undefined, clock);
    for (let index = 0; index < last; index++) {
      const step = steps[index] as WiredStep;
      exchange.at = step.node;
      const pending = step.run(exchange);
      if (pending !== undefined) return runRest(steps, index + 1, exchange, pending, clock);
      if (exchange.ending !== 0) return undefined;
    }
    const step = steps[last] as WiredStep;
    exchange.at = step.node;
    return step.run(exchange);
  };
}

/**
 * Checks the clock after each expensive step. With a large body every step counts as expensive, and so does work after the last step,
 * such as writing the reply.
 */
function pacedSequence(steps: readonly WiredStep[], clock: Clock): Processor {
  const last = steps.length - 1;
  return (exchange) => {
    if (isLarge(exchange.message.body)) return runRest(steps, 0, exchange, undefined, clock);
    const startedAt = clock.monotonic();
    for (let index = 0; index < last; index++) {
      const step = steps[index] as WiredStep;
      exchange.at = step.node;
      const pending = step.run(exchange);
      if (pending !== undefined) return runRest(steps, index + 1, exchange, pending, clock);
      if (exchange.ending !== 0) return undefined;
      if (step.costly && clock.monotonic() - startedAt > sliceMs) return runRest(steps, index + 1, exchange, clock.yieldToEventLoop(), clock);
    }
    const step = steps[last] as WiredStep;
    exchange.at = step.node;
    return step.run(exchange);
  };
}

async function runRest(steps: readonly WiredStep[], from: number, exchange: Exchange, pending: Promise<void> | undefined, clock: Clock): Promise<void> {
  if (pending !== undefined) await pending;
  let startedAt = clock.monotonic();
  for (let index = from; index < steps.length && exchange.ending === 0; index++) {
    // Copies are not marked when their run is cancelled, so check the run itself.
    if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
    const step = steps[index] as WiredStep;
    exchange.at = step.node;
    const next = step.run(exchange);
    if (next !== undefined) await next;
    if (clock.monotonic() - startedAt > sliceMs) {
      await clock.yieldToEventLoop();
      startedAt = clock.monotonic();
    }
  }
}
