// The in-flight asynchronous exchanges of one route: limited in time, and cancelled when a drain times out.
import { ending, type Exchange } from "../exchange/exchange.ts";
import { FlowError } from "../errors/flow-error.ts";
import type { Clock } from "../spi/host.ts";

export interface InFlightExchange {
  readonly exchange: Exchange;
  /** Completes it normally; does nothing when it was cancelled before. */
  complete(finish: () => void): void;
}

interface Entry extends InFlightExchange {
  readonly deadline: number;
  readonly cancelled: (reason: FlowError) => void;
}

/** Deadlines are checked at this interval: a timer per run would slow down every run. */
const sweepMs = 250;
const sliceMs = 10;

export class InFlight {
  readonly #clock: Clock;
  readonly #runMs: number;
  readonly #entries = new Set<Entry>();
  #waiters: (() => void)[] = [];
  #sweeping = false;

  constructor(clock: Clock, runMs: number) {
    this.#clock = clock;
    this.#runMs = runMs;
  }

  add(exchange: Exchange, cancelled: (reason: FlowError) => void): InFlightExchange {
    const entry: Entry = {
      exchange,
      cancelled,
      deadline: this.#clock.monotonic() + this.#runMs,
      complete: (finish) => {
        if (this.#entries.delete(entry)) finish();
      },
    };
    this.#entries.add(entry);
    this.#sweepLater();
    return entry;
  }

  /** Called when nothing is in flight. */
  notifyIdle(): void {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }

  /** Resolves when nothing is in flight, or at the deadline (monotonic time) after cancelling the rest; returns the cancelled exchanges. */
  async drain(inflight: () => number, until: number): Promise<readonly InFlightExchange[]> {
    if (inflight() === 0) return [];
    const drained = await new Promise<boolean>((resolve) => {
      const cancel = this.#clock.after(Math.max(0, until - this.#clock.monotonic()), () => resolve(false));
      this.#waiters.push(() => {
        cancel();
        resolve(true);
      });
    });
    if (drained) return [];
    const remaining = [...this.#entries];
    await this.#cancelAll(remaining, "the route was stopped before the run completed", "run-abandoned");
    return remaining;
  }

  /** Cancels in slices: reporting each takes time, and other work must not wait. */
  async #cancelAll(entries: readonly Entry[], message: string, code: string): Promise<void> {
    let startedAt = this.#clock.monotonic();
    for (const entry of entries) {
      this.#cancel(entry, message, code);
      if (this.#clock.monotonic() - startedAt <= sliceMs) continue;
      await this.#clock.yieldToEventLoop();
      startedAt = this.#clock.monotonic();
    }
  }

  #cancel(entry: Entry, message: string, code: string): void {
    if (!this.#entries.delete(entry)) return;
    const reason = new FlowError("java.util.concurrent.TimeoutException", message, { code });
    entry.exchange.ending = ending.cancelled;
    entry.exchange.run.cancel(reason);
    entry.cancelled(reason);
  }

  #sweepLater(): void {
    if (this.#sweeping || !Number.isFinite(this.#runMs)) return;
    this.#sweeping = true;
    this.#clock.after(Math.min(sweepMs, this.#runMs), () => {
      this.#sweeping = false;
      const now = this.#clock.monotonic();
      const overdue = [...this.#entries].filter(({ deadline }) => deadline <= now);
      void this.#cancelAll(overdue, `time limit: the run took longer than ${this.#runMs} ms`, "limit-run-time");
      if (this.#entries.size > 0) this.#sweepLater();
    });
  }
}
