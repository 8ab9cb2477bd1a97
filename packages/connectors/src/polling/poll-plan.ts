// Schedules the polls of a source: after a delay, with back-off after idle or failed polls, or by a cron expression.
import { CompileError, type Clock } from "@sluice/engine/spi";
import { cronSchedule, type CronSchedule } from "../cron/cron-schedule.ts";
import { nextOnGrid, type Plan } from "../ticking/ticker.ts";

export type PollOutcome = "found" | "nothing" | "failed";

export interface ScheduleOptions {
  readonly initialDelay: number;
  readonly delay: number;
  readonly useFixedDelay: boolean;
  readonly greedy: boolean;
  /** 0 for no limit. */
  readonly repeatCount: number;
  readonly timeUnit?: keyof typeof units;
  readonly backoffMultiplier?: number;
  readonly backoffIdleThreshold?: number;
  readonly backoffErrorThreshold?: number;
  readonly scheduler?: string;
  readonly "scheduler.cron"?: string | undefined;
}

const units = { NANOSECONDS: 1e-6, MICROSECONDS: 1e-3, MILLISECONDS: 1, SECONDS: 1000, MINUTES: 60_000, HOURS: 3_600_000, DAYS: 86_400_000 };

/** Created at each start; `outcome` is called after each poll. */
export interface PollPlan extends Plan {
  outcome(outcome: PollOutcome): void;
}

/** The parsed cron expression of the options; undefined when the delay applies. */
export function scheduleOf(options: ScheduleOptions): CronSchedule | undefined {
  const { scheduler = "none", "scheduler.cron": cron } = options;
  if (scheduler === "none" && cron === undefined) return undefined;
  if (cron === undefined) throw new CompileError("option-missing", `scheduler=${scheduler} needs scheduler.cron`, { option: "scheduler" });
  return cronSchedule(cron.replaceAll("+", " "), undefined);
}

export function pollPlan(options: ScheduleOptions, schedule: CronSchedule | undefined, clock: Clock): PollPlan {
  const { useFixedDelay, greedy, repeatCount, backoffMultiplier = 0, backoffIdleThreshold = 0, backoffErrorThreshold = 0 } = options;
  const unit = units[options.timeUnit ?? "MILLISECONDS"];
  const delay = options.delay * unit;
  const counts = { found: 0, nothing: 0, failed: 0 };
  let last: PollOutcome = "nothing";
  const nextOfSchedule = (now: number): number | undefined => {
    const wall = clock.now();
    const next = schedule?.after(wall);
    return next === undefined ? undefined : now + (next - wall);
  };
  const isReached = (threshold: number, count: number): boolean => threshold > 0 && count >= threshold;
  return {
    outcome(outcome) {
      if (outcome !== last) counts[last] = 0;
      counts[outcome]++;
      last = outcome;
    },
    first: (now) => (schedule === undefined ? now + Math.max(0, options.initialDelay * unit) : (nextOfSchedule(now) ?? Infinity)),
    next({ due, ended, count }) {
      if (repeatCount > 0 && count >= repeatCount) return undefined;
      if (schedule !== undefined) return nextOfSchedule(ended);
      if ((greedy && last === "found") || delay <= 0) return ended;
      if (backoffMultiplier > 0 && (isReached(backoffIdleThreshold, counts.nothing) || isReached(backoffErrorThreshold, counts.failed))) {
        counts.nothing = counts.failed = 0;
        return ended + delay * (backoffMultiplier + 1);
      }
      return useFixedDelay ? ended + delay : nextOnGrid(due, delay, ended);
    },
  };
}
