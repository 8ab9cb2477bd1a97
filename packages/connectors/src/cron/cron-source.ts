// Triggers a route at scheduled times of the wall clock. When the clock is changed, each time of day still fires once: one run makes up
// for all missed times, and a repeated hour does not fire twice.
import { Message, type Clock, type Delivery, type Headers, type Source } from "@sluice/engine/spi";
import type { CronSchedule } from "./cron-schedule.ts";

/** Interval at which the wall clock is checked, because it may be changed at any time. */
const maxWaitMs = 15_000;
/** If the clock is set back by more than this, assume that it was wrong before and restart the schedule. */
const maxSetbackMs = 3 * 3_600_000;

export interface CronTick {
  readonly scheduledAt: number;
  readonly firedAt: number;
  readonly previousAt: number | undefined;
  readonly nextAt: number | undefined;
  readonly count: number;
}

export interface CronSourceParts {
  readonly clock: Clock;
  readonly schedule: CronSchedule;
  readonly delivery: Delivery;
  readonly startDelayMs: number;
  headers(tick: CronTick): Headers;
}

export function cronSource({ clock, schedule, delivery, startDelayMs, headers }: CronSourceParts): Source {
  let cancel: (() => void) | undefined;
  let generation = 0;
  const stop = (): void => {
    generation++;
    cancel?.();
    cancel = undefined;
  };
  return {
    claims: [],
    exclusive: true,
    start(routeInput) {
      stop();
      const startGeneration = generation;
      let count = 0;
      let previousAt: number | undefined;
      /** Scheduled times up to this one have been handled. */
      let doneUntil = clock.now() + startDelayMs;
      let due = schedule.after(doneUntil);

      const wait = (): void => {
        if (due === undefined || startGeneration !== generation) return;
        const now = clock.now();
        if (doneUntil - now > maxSetbackMs + startDelayMs) {
          doneUntil = now;
          due = schedule.after(now) as number;
        }
        cancel = clock.after(Math.min(Math.max(due - now, 0), maxWaitMs), () => (startGeneration === generation ? check() : undefined));
      };
      const check = (): void => {
        const now = clock.now();
        if (due === undefined || now < due) wait();
        else fire(due, now);
      };
      const fire = (scheduledAt: number, now: number): void => {
        doneUntil = Math.max(doneUntil, now);
        due = schedule.after(doneUntil);
        const tick: CronTick = { scheduledAt, firedAt: now, previousAt, nextAt: due, count: ++count };
        previousAt = scheduledAt;
        const run = (isClaimed: boolean): void => {
          const running = isClaimed && startGeneration === generation ? routeInput.deliver(new Message(null, headers(tick)), delivery) : undefined;
          if (running instanceof Promise) void running.then(wait, wait);
          else wait();
        };
        const claimed = routeInput.claimTick?.(`time ${scheduledAt}`) ?? true;
        if (claimed instanceof Promise) void claimed.then(run, wait);
        else run(claimed);
      };
      wait();
    },
    stop,
  };
}
