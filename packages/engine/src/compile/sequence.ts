// Steps one after another: synchronous until the first step that waits, then one promise for the rest. Steps that take
// long without waiting are interrupted between each other, so that no route holds up the others.
import type { Exchange } from "../exchange/exchange.ts";
import type { Clock } from "../spi/host.ts";
import { cancelledError } from "../spi/pacing.ts";
import type { Processor } from "../spi/processor.ts";
import type { Slot } from "./wiring.ts";

/** How long the steps of one sequence may hold the event loop together. */
const sliceMs = 20;

export function sequence(slots: readonly Slot[], clock: Clock): Processor {
  const [only] = slots;
  if (only === undefined) return () => undefined;
  if (slots.length === 1) {
    return (exchange) => {
      exchange.at = only.node;
      return only.run(exchange);
    };
  }
  return slots.some(({ costly }) => costly) ? paced(slots, clock) : plain(slots, clock);
}

/** The hot path: nothing but the steps. */
function plain(slots: readonly Slot[], clock: Clock): Processor {
  const last = slots.length - 1;
  return (exchange) => {
    for (let index = 0; index < last; index++) {
      const slot = slots[index] as Slot;
      exchange.at = slot.node;
      const pending = slot.run(exchange);
      if (pending !== undefined) return rest(slots, index + 1, exchange, pending, clock);
      if (exchange.ending !== 0) return undefined;
    }
    const slot = slots[last] as Slot;
    exchange.at = slot.node;
    return slot.run(exchange);
  };
}

/** Looks at the time after each step that may take long. */
function paced(slots: readonly Slot[], clock: Clock): Processor {
  const last = slots.length - 1;
  return (exchange) => {
    const began = clock.monotonic();
    for (let index = 0; index < last; index++) {
      const slot = slots[index] as Slot;
      exchange.at = slot.node;
      const pending = slot.run(exchange);
      if (pending !== undefined) return rest(slots, index + 1, exchange, pending, clock);
      if (exchange.ending !== 0) return undefined;
      if (slot.costly && clock.monotonic() - began > sliceMs) return rest(slots, index + 1, exchange, clock.breathe(), clock);
    }
    const slot = slots[last] as Slot;
    exchange.at = slot.node;
    return slot.run(exchange);
  };
}

async function rest(slots: readonly Slot[], from: number, exchange: Exchange, pending: Promise<void>, clock: Clock): Promise<void> {
  await pending;
  let began = clock.monotonic();
  for (let index = from; index < slots.length && exchange.ending === 0; index++) {
    // Copies are not marked when their run is ended from outside, so the run itself is asked.
    if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
    const slot = slots[index] as Slot;
    exchange.at = slot.node;
    const next = slot.run(exchange);
    if (next !== undefined) await next;
    if (clock.monotonic() - began > sliceMs) {
      await clock.breathe();
      began = clock.monotonic();
    }
  }
}
