// Endpoints one step resolved at run time, by URI: bounded, least recently used evicted first, idle ones stopped.
import type { Lifecycle } from "../spi/compiler.ts";
import type { Clock } from "../spi/host.ts";
import type { OnDemand } from "./on-demand.ts";

/** Maximum endpoints per step; the same default as Camel. */
const maxEndpoints = 1000;
/** Idle time after which an endpoint is stopped. Checked at the same interval, so stopping can take up to twice as long. */
const idleMs = 300_000;
/** How many busy endpoints are skipped when searching for one to evict. */
const skippedWhenBusy = 16;

/** An endpoint resolved from a URI. */
export interface Found<T> {
  readonly value: T;
  /** Starts and stops it; undefined when it needs neither. */
  readonly demand: OnDemand | undefined;
  /** When false, only messages sent from a test session may use it. */
  readonly isOpen: boolean;
  /** Removes it from all other registries. */
  forget(): void;
}

export class EndpointCache<T> implements Lifecycle {
  readonly #clock: Clock;
  readonly #found = new Map<string, Found<T>>();
  #isStopped = false;
  #cancelSweep: (() => void) | undefined = undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uri: string): Found<T> | undefined {
    const found = this.#found.get(uri);
    if (found === undefined) return undefined;
    this.#found.delete(uri);
    this.#found.set(uri, found);
    return found;
  }

  add(uri: string, found: Found<T>): void {
    // An endpoint resolved by a late message after the route stopped is stopped again once that message completes.
    if (this.#isStopped) {
      void found.demand?.release();
      found.forget();
      return;
    }
    if (this.#found.size >= maxEndpoints) this.#makeRoom();
    this.#found.set(uri, found);
    if (found.demand !== undefined) this.#sweepLater();
  }

  start(): void {
    this.#isStopped = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    const all = [...this.#found.values()];
    this.#found.clear();
    for (const { forget } of all) forget();
    await Promise.all(all.map(async ({ demand }) => demand?.release()));
  }

  /** A busy endpoint stays beyond the bound: stopping it would lose messages. Connectors limit their own buffers. */
  #makeRoom(): void {
    let looked = 0;
    for (const [uri, found] of this.#found) {
      if (found.demand?.isBusy !== true) return this.#drop(uri, found);
      if (++looked === skippedWhenBusy) return;
      this.#found.delete(uri);
      this.#found.set(uri, found);
    }
  }

  #drop(uri: string, found: Found<T>): void {
    this.#found.delete(uri);
    found.forget();
    void found.demand?.release();
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#clock.after(idleMs, () => {
      this.#cancelSweep = undefined;
      let more = false;
      for (const [uri, found] of this.#found) {
        const { demand } = found;
        if (demand === undefined) continue;
        if (demand.isMarked && !demand.isBusy) this.#drop(uri, found);
        else more = demand.isMarked = true;
      }
      if (more) this.#sweepLater();
    });
  }
}
