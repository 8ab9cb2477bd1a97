// The exchanges of one route that wait for something: bounded in time, and cancelled when a drain is over.
import { ending, type Exchange } from "../exchange/exchange.ts";
import { FlowError } from "../errors/flow-error.ts";
import type { Clock } from "../spi/host.ts";

export interface Flight {
  readonly exchange: Exchange;
  /** Ends the flight in the ordinary way; does nothing when it was cancelled before. */
  land(finish: () => void): void;
}

interface Airborne extends Flight {
  readonly deadline: number;
  readonly cancelled: (reason: FlowError) => void;
}

/** Deadlines are looked at this often, not timed one by one: a timer per run would cost every run. */
const sweepMs = 250;
const sliceMs = 10;

export class Flights {
  readonly #clock: Clock;
  readonly #runMs: number;
  readonly #airborne = new Set<Airborne>();
  #waiters: (() => void)[] = [];
  #sweeping = false;

  constructor(clock: Clock, runMs: number) {
    this.#clock = clock;
    this.#runMs = runMs;
  }

  add(exchange: Exchange, cancelled: (reason: FlowError) => void): Flight {
    const flight: Airborne = {
      exchange,
      cancelled,
      deadline: this.#clock.monotonic() + this.#runMs,
      land: (finish) => {
        if (this.#airborne.delete(flight)) finish();
      },
    };
    this.#airborne.add(flight);
    this.#sweepLater();
    return flight;
  }

  /** Told when nothing is in flight any more. */
  idle(): void {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Resolves when nothing is in flight, or at the limit (monotonic time) after cancelling what is; returns what was cancelled. */
  async drain(inflight: () => number, until: number): Promise<readonly Flight[]> {
    if (inflight() === 0) return [];
    const inTime = await new Promise<boolean>((resolve) => {
      const cancel = this.#clock.after(Math.max(0, until - this.#clock.monotonic()), () => resolve(false));
      this.#waiters.push(() => {
        cancel();
        resolve(true);
      });
    });
    if (inTime) return [];
    const stuck = [...this.#airborne];
    await this.#cancelAll(stuck, "the route was stopped before the run was over", "run-abandoned");
    return stuck;
  }

  /** Ends many flights in slices: telling of each takes a while, and others want their turn. */
  async #cancelAll(flights: readonly Airborne[], message: string, code: string): Promise<void> {
    let began = this.#clock.monotonic();
    for (const flight of flights) {
      this.#cancel(flight, message, code);
      if (this.#clock.monotonic() - began <= sliceMs) continue;
      await this.#clock.breathe();
      began = this.#clock.monotonic();
    }
  }

  #cancel(flight: Airborne, message: string, code: string): void {
    if (!this.#airborne.delete(flight)) return;
    const reason = new FlowError("java.util.concurrent.TimeoutException", message, { code });
    flight.exchange.ending = ending.cancelled;
    flight.exchange.run.cancel(reason);
    flight.cancelled(reason);
  }

  #sweepLater(): void {
    if (this.#sweeping || !Number.isFinite(this.#runMs)) return;
    this.#sweeping = true;
    this.#clock.after(Math.min(sweepMs, this.#runMs), () => {
      this.#sweeping = false;
      const now = this.#clock.monotonic();
      const late = [...this.#airborne].filter(({ deadline }) => deadline <= now);
      void this.#cancelAll(late, `time limit: the run took longer than ${this.#runMs} ms`, "limit-run-time");
      if (this.#airborne.size > 0) this.#sweepLater();
    });
  }
}
