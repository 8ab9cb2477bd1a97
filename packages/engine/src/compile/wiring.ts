// Attaches observability and mocks to steps and sends. Every step and send has a slot whose function is replaced while a tap is attached and restored
// afterwards, so that a route without taps has no overhead.
import type { StepNode } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Tap } from "./tap.ts";
import type { Receiver } from "../spi/connector.ts";
import type { Processor } from "../spi/processor.ts";

/** The slot of a step in a sequence. */
export interface Slot {
  readonly node: StepNode;
  /** The compiled step with taps; an error handler runs it again on redelivery. */
  inner: Processor;
  /** True when the step may run long without yielding: the clock is checked after it. */
  readonly costly: boolean;
  /** The function that the sequence calls: `inner`, or the error handler around it. */
  run: Processor;
}

/** The slot of a destination; steps read `send` at each use. */
export interface TappedOutlet {
  readonly uri: string;
  send: Processor;
}

interface SlotEntry {
  readonly slot: Slot;
  readonly bare: Processor;
  readonly guarded: boolean;
}

/** The slot of a polled endpoint. */
export interface TappedReceiver {
  receive: Receiver;
}

interface ReceiverEntry {
  readonly tapped: TappedReceiver;
  readonly uri: string;
  readonly bare: Receiver;
}

interface OutletEntry {
  readonly outlet: TappedOutlet;
  readonly bare: Processor;
  readonly markSent: ((exchange: Exchange) => void) | undefined;
}

/** The slots of one route and the attached taps. */
export class Wiring {
  readonly #route: RouteIdentity;
  readonly #slots: SlotEntry[] = [];
  readonly #outlets = new Set<OutletEntry>();
  readonly #receivers = new Set<ReceiverEntry>();
  #taps: readonly Tap[] = [];

  constructor(route: RouteIdentity) {
    this.#route = route;
  }

  /** Adds a step; `guard` puts the route's error handler around all taps. */
  slot(node: StepNode, bare: Processor, costly: boolean, guard?: (slot: Slot) => Processor): Slot {
    const slot: Slot = { node, costly, inner: bare, run: bare };
    if (guard !== undefined) slot.run = guard(slot);
    const entry = { slot, bare, guarded: guard !== undefined };
    this.#slots.push(entry);
    this.#wireSlot(entry);
    return slot;
  }

  /** Adds a destination. `markSent` marks an exchange as sent there when a tap replies instead of `bare`; `bare` itself marks the exchange. */
  outlet(uri: string, bare: Processor, markSent?: (exchange: Exchange) => void): { readonly outlet: TappedOutlet; forget(): void } {
    const outlet: TappedOutlet = { uri, send: bare };
    const entry = { outlet, bare, markSent };
    this.#outlets.add(entry);
    this.#wireOutlet(entry);
    return { outlet, forget: () => void this.#outlets.delete(entry) };
  }

  /** Adds a polled endpoint. */
  receiver(uri: string, bare: Receiver): { readonly tapped: TappedReceiver; forget(): void } {
    const tapped: TappedReceiver = { receive: bare };
    const entry = { tapped, uri, bare };
    this.#receivers.add(entry);
    this.#wireReceiver(entry);
    return { tapped, forget: () => void this.#receivers.delete(entry) };
  }

  /** Replaces the attached taps; those that do not cover the route are ignored. */
  rewire(taps: readonly Tap[]): void {
    const covering = taps.filter((tap) => tap.covers(this.#route)).toSorted((one, other) => one.layer - other.layer);
    if (covering.length === this.#taps.length && covering.every((tap, at) => tap === this.#taps[at])) return;
    this.#taps = covering;
    for (const entry of this.#slots) this.#wireSlot(entry);
    for (const entry of this.#outlets) this.#wireOutlet(entry);
    for (const entry of this.#receivers) this.#wireReceiver(entry);
  }

  #wireSlot({ slot, bare, guarded }: SlotEntry): void {
    let processor = bare;
    for (const tap of this.#taps) if (tap.step !== undefined) processor = tap.step(processor, slot.node, this.#route);
    slot.inner = processor;
    if (!guarded) slot.run = processor;
  }

  #wireReceiver({ tapped, uri, bare }: ReceiverEntry): void {
    let receiver = bare;
    for (const tap of this.#taps) if (tap.receive !== undefined) receiver = tap.receive(receiver, uri, this.#route);
    tapped.receive = receiver;
  }

  #wireOutlet({ outlet, bare, markSent }: OutletEntry): void {
    let processor = bare;
    for (const tap of this.#taps) if (tap.send !== undefined) processor = tap.send(processor, outlet.uri, this.#route);
    outlet.send = processor === bare || markSent === undefined ? processor : withMark(processor, markSent);
  }
}

function withMark(processor: Processor, markSent: (exchange: Exchange) => void): Processor {
  return (exchange) => {
    markSent(exchange);
    return processor(exchange);
  };
}
