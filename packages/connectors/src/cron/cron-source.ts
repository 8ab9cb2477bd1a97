// Sets a route off when the wall clock shows a scheduled time. However the clock is set meanwhile, a time of day fires once:
// what was missed is made up for by one tick, and hours that are lived through twice do not fire twice.
import { Message, type Clock, type Delivery, type Headers, type Source } from "@sluice/engine/spi";
import type { CronSchedule } from "./cron-schedule.ts";

/** The wall clock may be set at any time, so it is looked at this often. */
const longestWaitMs = 15_000;
/** Set back further than this, the clock was wrong before: the schedule begins anew. */
const longestSetbackMs = 3 * 3_600_000;

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
  let era = 0;
  const stop = (): void => {
    era++;
    cancel?.();
    cancel = undefined;
  };
  return {
    claims: [],
    exclusive: true,
    start(inlet) {
      stop();
      const own = era;
      let count = 0;
      let previousAt: number | undefined;
      /** Scheduled times up to here are done with. */
      let doneUntil = clock.now() + startDelayMs;
      let due = schedule.after(doneUntil);

      const wait = (): void => {
        if (due === undefined || own !== era) return;
        const now = clock.now();
        if (doneUntil - now > longestSetbackMs + startDelayMs) {
          doneUntil = now;
          due = schedule.after(now) as number;
        }
        cancel = clock.after(Math.min(Math.max(due - now, 0), longestWaitMs), () => (own === era ? look() : undefined));
      };
      const look = (): void => {
        const now = clock.now();
        if (due === undefined || now < due) wait();
        else fire(due, now);
      };
      const fire = (scheduledAt: number, now: number): void => {
        doneUntil = Math.max(doneUntil, now);
        due = schedule.after(doneUntil);
        const tick: CronTick = { scheduledAt, firedAt: now, previousAt, nextAt: due, count: ++count };
        previousAt = scheduledAt;
        const running = inlet.deliver(new Message(null, headers(tick)), delivery);
        if (running instanceof Promise) void running.then(wait, wait);
        else wait();
      };
      wait();
    },
    stop,
  };
}
