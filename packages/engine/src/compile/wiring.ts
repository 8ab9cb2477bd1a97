// Attaches observability and mocks to steps and sends. The function of every step and send is replaced while a tap is attached and restored afterwards,
// so that a route without taps has no overhead.
import type { StepNode } from "@sluice/model";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import type { Tap } from "./tap.ts";
import type { Receiver } from "../spi/connector.ts";
import type { Processor } from "../spi/processor.ts";

/** A step in a sequence, with its taps. */
export interface WiredStep {
  readonly node: StepNode;
  /** The compiled step with taps; an error handler runs it again on redelivery. */
  inner: Processor;
  /** True when the step may run long without yielding: the clock is checked after it. */
  readonly costly: boolean;
  /** The function that the sequence calls: `inner`, or the error handler around it. */
  run: Processor;
}

/** A destination with its taps; steps read `send` at each use. */
export interface TappedOutlet {
  readonly uri: string;
  send: Processor;
}

interface StepEntry {
  readonly step: WiredStep;
  readonly bare: Processor;
  readonly guarded: boolean;
}

/** A polled endpoint with its taps. */
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

/** The steps and endpoints of one route, and the attached taps. */
export class Wiring {
  readonly #route: RouteIdentity;
  readonly #steps: StepEntry[] = [];
  readonly #outlets = new Set<OutletEntry>();
  readonly #receivers = new Set<ReceiverEntry>();
  #taps: readonly Tap[] = [];

  constructor(route: RouteIdentity) {
    this.#route = route;
  }

  /** Adds a step; `guard` puts the route's error handler around all taps. */
  step(node: StepNode, bare: Processor, costly: boolean, guard?: (step: WiredStep) => Processor): WiredStep {
    const step: WiredStep = { node, costly, inner: bare, run: bare };
    if (guard !== undefined) step.run = guard(step);
    const entry = { step, bare, guarded: guard !== undefined };
    this.#steps.push(entry);
    this.#wireStep(entry);
    return step;
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
    for (const entry of this.#steps) this.#wireStep(entry);
    for (const entry of this.#outlets) this.#wireOutlet(entry);
    for (const entry of this.#receivers) this.#wireReceiver(entry);
  }

  #wireStep({ step, bare, guarded }: StepEntry): void {
    let processor = bare;
    for (const tap of this.#taps) if (tap.step !== undefined) processor = tap.step(processor, step.node, this.#route);
    step.inner = processor;
    if (!guarded) step.run = processor;
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
