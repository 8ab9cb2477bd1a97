// Invokes a callback at scheduled times of the monotonic clock. Ticks never overlap; ticks missed while the process was suspended are
// skipped, not replayed in a burst.
import type { Awaitable, Clock, SourceInput } from "@sluice/engine/spi";

export interface Plan {
  /** When the first tick is due, monotonic milliseconds. */
  first(now: number): number;
  /** The time of the next tick, given when this one was due, started and ended; undefined after the last one. A past time means immediately. */
  next(tick: { readonly due: number; readonly started: number; readonly ended: number; readonly count: number }): number | undefined;
}

/** Longer waits are split: Node timers overflow after 24 days. */
const maxWaitMs = 3_600_000;
/** Node timers may fire this much early. */
const toleranceMs = 1;

export class Ticker {
  readonly #clock: Clock;
  readonly #plan: Plan;
  readonly #tick: (count: number) => Awaitable<unknown>;
  readonly #claim: TickClaim | undefined;
  #cancel: (() => void) | undefined = undefined;
  /** Number of the current start; ticks of an earlier start are ignored. */
  #generation = 0;

  constructor(clock: Clock, plan: Plan, tick: (count: number) => Awaitable<unknown>, claim?: TickClaim) {
    this.#clock = clock;
    this.#plan = plan;
    this.#tick = tick;
    this.#claim = claim;
  }

  start(): void {
    this.stop();
    this.#arm(this.#plan.first(this.#clock.monotonic()), 1, this.#generation);
  }

  stop(): void {
    this.#generation++;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(due: number, count: number, generation: number): void {
    const wait = due - this.#clock.monotonic();
    if (wait <= 0) {
      // Without a delay, but yields to the event loop between ticks.
      void this.#clock.yieldToEventLoop().then(() => (generation === this.#generation ? this.#fire(due, count, generation) : undefined));
      return;
    }
    this.#cancel = this.#clock.after(Math.min(wait, maxWaitMs), () => {
      if (generation !== this.#generation) return;
      if (this.#clock.monotonic() < due - toleranceMs) this.#arm(due, count, generation);
      else this.#fire(due, count, generation);
    });
  }

  #fire(due: number, count: number, generation: number): void {
    const started = this.#clock.monotonic();
    const finish = (): void => {
      if (generation !== this.#generation) return;
      const next = this.#plan.next({ due, started, ended: this.#clock.monotonic(), count });
      if (next !== undefined) this.#arm(next, count + 1, generation);
    };
    const run = (isClaimed: boolean): void => {
      const result = isClaimed && generation === this.#generation ? this.#tick(count) : undefined;
      if (result instanceof Promise) void result.then(finish, finish);
      else finish();
    };
    const claimed = this.#claim?.(due, count) ?? true;
    if (claimed instanceof Promise) void claimed.then(run, finish);
    else run(claimed);
  }
}

/** Whether this process may fire the tick that is due at this monotonic time. */
export type TickClaim = (due: number, count: number) => Awaitable<boolean>;

/** Ticks of shorter periods are not claimed: the right to run the schedule is sufficient. */
const minClaimedPeriodMs = 1_000;

/** Claims the ticks of a schedule: by number if they are counted, otherwise by wall-clock period. Undefined in a single runtime. */
export function tickClaim(
  routeInput: SourceInput,
  clock: Clock,
  { periodMs, isCounted }: { readonly periodMs: number; readonly isCounted: boolean },
): TickClaim | undefined {
  const { claimTick } = routeInput;
  if (claimTick === undefined) return undefined;
  let last = -Infinity;
  return (due, count) => {
    if (isCounted) return claimTick(`count ${count}`, true);
    if (periodMs < minClaimedPeriodMs) return claimTick(undefined);
    // Ticks are at least one period apart; rounding must not assign two ticks to the same period.
    last = Math.max(last + 1, Math.floor((clock.now() + due - clock.monotonic()) / periodMs));
    return claimTick(`period ${last}`);
  };
}

/** Fixed-rate schedule; missed times are skipped. */
export function nextOnGrid(due: number, period: number, now: number): number {
  const next = due + period;
  return next >= now ? next : due + (Math.floor((now - due) / period) + 1) * period;
}
