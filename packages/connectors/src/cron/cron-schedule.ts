// Evaluates cron expressions. The number of fields selects the dialect: five for crontab (Sunday is 0 or 7), six or seven for
// Quartz (seconds first, year last, Sunday is 1).
import { CompileError } from "@sluice/engine/spi";
import { Cron } from "croner";

export interface CronSchedule {
  /** The next time after the given one, in milliseconds since the epoch; undefined when there is none. */
  after(time: number): number | undefined;
}

export function cronSchedule(expression: string, timeZone: string | undefined): CronSchedule {
  const fields = expression.trim().split(/\s+/);
  try {
    const cron = new Cron(fields.join(" "), { paused: true, alternativeWeekdays: fields.length > 5, sloppyRanges: true, timezone: timeZone });
    // Evaluate once, so that an unknown time zone fails now and not at the first run.
    cron.nextRun(new Date(0));
    return { after: (time) => cron.nextRun(new Date(time))?.getTime() };
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/^\w+: /, "");
    throw new CompileError("bad-cron", `the schedule '${expression}' is invalid: ${reason}`, {
      hint: "use five fields (minute hour day month weekday), or six or seven with seconds first, such as 0/30 * * * * ?",
    });
  }
}
