// The endpoints that one step resolved at run time, by URI. Their number is limited: the least recently used is evicted first. Idle ones are stopped.
import type { Lifecycle } from "../spi/compiler.ts";
import type { Clock } from "../spi/host.ts";
import type { LazyEndpoint } from "./lazy-endpoint.ts";

/** Maximum endpoints per step; the same default as Camel. */
const maxEndpoints = 1000;
/** Idle time after which an endpoint is stopped. Checked at the same interval, so stopping can take up to twice as long. */
const idleMs = 300_000;
/** How many busy endpoints are skipped when searching for one to evict. */
const maxSkipped = 16;

/** An endpoint resolved from a URI. */
export interface ResolvedEndpoint<T> {
  readonly value: T;
  /** Starts and stops it; undefined when it needs neither. */
  readonly lazyEndpoint: LazyEndpoint | undefined;
  /** When false, only messages sent from a test session may use it. */
  readonly isAllowed: boolean;
  /** Removes it from the route's wiring. */
  forget(): void;
}

export class EndpointCache<T> implements Lifecycle {
  readonly #clock: Clock;
  readonly #endpoints = new Map<string, ResolvedEndpoint<T>>();
  #isStopped = false;
  #cancelSweep: (() => void) | undefined = undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(uri: string): ResolvedEndpoint<T> | undefined {
    const endpoint = this.#endpoints.get(uri);
    if (endpoint === undefined) return undefined;
    this.#endpoints.delete(uri);
    this.#endpoints.set(uri, endpoint);
    return endpoint;
  }

  add(uri: string, endpoint: ResolvedEndpoint<T>): void {
    // An endpoint resolved by a late message after the route stopped is stopped again once that message completes.
    if (this.#isStopped) {
      void endpoint.lazyEndpoint?.release();
      endpoint.forget();
      return;
    }
    if (this.#endpoints.size >= maxEndpoints) this.#makeRoom();
    this.#endpoints.set(uri, endpoint);
    if (endpoint.lazyEndpoint !== undefined) this.#sweepLater();
  }

  start(): void {
    this.#isStopped = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    const all = [...this.#endpoints.values()];
    this.#endpoints.clear();
    for (const { forget } of all) forget();
    await Promise.all(all.map(async ({ lazyEndpoint }) => lazyEndpoint?.release()));
  }

  /** Busy endpoints are kept even above the limit: stopping them would lose messages. Connectors limit their own buffers. */
  #makeRoom(): void {
    let skipped = 0;
    for (const [uri, endpoint] of this.#endpoints) {
      if (endpoint.lazyEndpoint?.isBusy !== true) return this.#drop(uri, endpoint);
      if (++skipped === maxSkipped) return;
      this.#endpoints.delete(uri);
      this.#endpoints.set(uri, endpoint);
    }
  }

  #drop(uri: string, endpoint: ResolvedEndpoint<T>): void {
    this.#endpoints.delete(uri);
    endpoint.forget();
    void endpoint.lazyEndpoint?.release();
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#clock.after(idleMs, () => {
      this.#cancelSweep = undefined;
      let needsSweep = false;
      for (const [uri, endpoint] of this.#endpoints) {
        const { lazyEndpoint } = endpoint;
        if (lazyEndpoint === undefined) continue;
        if (lazyEndpoint.isUnused && !lazyEndpoint.isBusy) this.#drop(uri, endpoint);
        else needsSweep = lazyEndpoint.isUnused = true;
      }
      if (needsSweep) this.#sweepLater();
    });
  }
}
