// Options of all polling connectors.
import { f } from "@sluice/model";

export const pollFields = {
  initialDelay: f.duration({ doc: "Delay before the first poll.", default: 1000 }),
  delay: f.duration({ doc: "Delay between polls.", default: 500 }),
  timeUnit: f.enum(["NANOSECONDS", "MICROSECONDS", "MILLISECONDS", "SECONDS", "MINUTES", "HOURS", "DAYS"], {
    doc: "Time unit of initialDelay and delay.",
    default: "MILLISECONDS",
    group: "advanced",
  }),
  useFixedDelay: f.boolean({ doc: "Whether the delay counts from the end of the previous poll.", default: true, group: "advanced" }),
  greedy: f.boolean({ doc: "Whether the next poll starts immediately when the previous one found something.", default: false, group: "advanced" }),
  repeatCount: f.integer({ doc: "Maximum number of polls; 0 for no limit.", default: 0, min: 0, group: "advanced" }),
  sendEmptyMessageWhenIdle: f.boolean({ doc: "Whether a poll that finds nothing sends an empty message.", default: false }),
  startScheduler: f.boolean({ doc: "Whether polling starts with the route; if false, the route never polls.", default: true, group: "advanced" }),
  backoffMultiplier: f.integer({
    doc: "How many polls are skipped after consecutive idle or failed polls; needs one of the two thresholds.",
    default: 0,
    min: 0,
    group: "advanced",
  }),
  backoffIdleThreshold: f.integer({ doc: "Consecutive idle polls before polls are skipped.", default: 0, min: 0, group: "advanced" }),
  backoffErrorThreshold: f.integer({ doc: "Consecutive failed polls before polls are skipped.", default: 0, min: 0, group: "advanced" }),
  scheduler: f.enum(["none", "quartz", "spring"], {
    doc: "Scheduler of the polls: `none` uses the delay, the others use a cron expression.",
    default: "none",
    group: "advanced",
  }),
  "scheduler.cron": f.string({ doc: "Cron expression for scheduler=quartz or scheduler=spring.", group: "advanced" }),
  schedulerProperties: f.string({ doc: "Accepted but ignored: set `scheduler.cron` instead.", group: "advanced" }),
  scheduledExecutorService: f.unsupported("it needs a Java object"),
  pollStrategy: f.unsupported("it needs a Java object"),
};
