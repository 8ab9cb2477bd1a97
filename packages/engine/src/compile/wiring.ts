// Where observability and mocks are put around steps and sends. Every step and every send has one place whose function
// is replaced in place while something is tapped in, and put back afterwards: with nobody watching nothing is paid.
import type { StepNode } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Tap } from "../run/runtime.ts";
import type { Processor } from "../spi/processor.ts";

/** One step's place in a sequence. */
export interface Slot {
  readonly node: StepNode;
  /** The step as compiled, tapped: what an error handler runs again on redelivery. */
  inner: Processor;
  /** It may take long without waiting, so time is looked at after it. */
  readonly costly: boolean;
  /** What the sequence calls: `inner`, or the error handler around it. */
  run: Processor;
}

/** One destination's place; steps read `send` at each use. */
export interface TappedOutlet {
  readonly uri: string;
  send: Processor;
}

interface SlotEntry {
  readonly slot: Slot;
  readonly bare: Processor;
  readonly guarded: boolean;
}

interface OutletEntry {
  readonly outlet: TappedOutlet;
  readonly bare: Processor;
  readonly note: ((exchange: Exchange) => void) | undefined;
}

/** The places of one route, and the taps that are in. */
export class Wiring {
  readonly #route: RouteIdentity;
  readonly #slots: SlotEntry[] = [];
  readonly #outlets = new Set<OutletEntry>();
  #taps: readonly Tap[] = [];

  constructor(route: RouteIdentity) {
    this.#route = route;
  }

  /** Places a step; `guard` puts the route's error handler around whatever is tapped in. */
  slot(node: StepNode, bare: Processor, costly: boolean, guard?: (slot: Slot) => Processor): Slot {
    const slot: Slot = { node, costly, inner: bare, run: bare };
    if (guard !== undefined) slot.run = guard(slot);
    const entry = { slot, bare, guarded: guard !== undefined };
    this.#slots.push(entry);
    this.#wireSlot(entry);
    return slot;
  }

  /** Places a destination; `note` marks an exchange as sent there, also when a tap answers in place of `bare`, which notes it by itself. */
  outlet(uri: string, bare: Processor, note?: (exchange: Exchange) => void): TappedOutlet {
    const outlet: TappedOutlet = { uri, send: bare };
    const entry = { outlet, bare, note };
    this.#outlets.add(entry);
    this.#wireOutlet(entry);
    return outlet;
  }

  /** Forgets a destination that was found while running and is no longer kept. */
  release(outlet: TappedOutlet): void {
    for (const entry of this.#outlets) if (entry.outlet === outlet) this.#outlets.delete(entry);
  }

  /** Replaces the taps that are in; those that do not cover the route are left out. */
  rewire(taps: readonly Tap[]): void {
    const covering = taps.filter((tap) => tap.covers(this.#route)).toSorted((one, other) => one.layer - other.layer);
    if (covering.length === this.#taps.length && covering.every((tap, at) => tap === this.#taps[at])) return;
    this.#taps = covering;
    for (const entry of this.#slots) this.#wireSlot(entry);
    for (const entry of this.#outlets) this.#wireOutlet(entry);
  }

  #wireSlot({ slot, bare, guarded }: SlotEntry): void {
    let processor = bare;
    for (const tap of this.#taps) if (tap.step !== undefined) processor = tap.step(processor, slot.node, this.#route);
    slot.inner = processor;
    if (!guarded) slot.run = processor;
  }

  #wireOutlet({ outlet, bare, note }: OutletEntry): void {
    let processor = bare;
    for (const tap of this.#taps) if (tap.send !== undefined) processor = tap.send(processor, outlet.uri, this.#route);
    outlet.send = processor === bare || note === undefined ? processor : noted(processor, note);
  }
}

function noted(processor: Processor, note: (exchange: Exchange) => void): Processor {
  return (exchange) => {
    note(exchange);
    return processor(exchange);
  };
}
