// Steps one after another: synchronous until the first step that waits, then one promise for the rest.
import type { Exchange } from "../exchange/exchange.ts";
import type { Processor } from "../spi/processor.ts";
import type { Slot } from "./wiring.ts";

export function sequence(slots: readonly Slot[]): Processor {
  const [only] = slots;
  if (only === undefined) return () => undefined;
  if (slots.length === 1) {
    return (exchange) => {
      exchange.at = only.node;
      return only.run(exchange);
    };
  }
  const count = slots.length;
  return (exchange) => {
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as Slot;
      exchange.at = slot.node;
      const pending = slot.run(exchange);
      if (pending !== undefined) return index + 1 === count ? pending : rest(slots, index + 1, exchange, pending);
      if (exchange.ending !== 0) return undefined;
    }
    return undefined;
  };
}

async function rest(slots: readonly Slot[], from: number, exchange: Exchange, pending: Promise<void>): Promise<void> {
  await pending;
  for (let index = from; index < slots.length && exchange.ending === 0; index++) {
    const slot = slots[index] as Slot;
    exchange.at = slot.node;
    const next = slot.run(exchange);
    if (next !== undefined) await next;
  }
}
