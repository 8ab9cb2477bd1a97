// When a cron expression is due. Two dialects are told apart by their length: five fields are a crontab's (Sunday is 0 or 7),
// six or seven are Quartz's (seconds first, year last, Sunday is 1).
import { CompileError } from "@sluice/engine/spi";
import { Cron } from "croner";

export interface CronSchedule {
  /** The next time after the given one, milliseconds since the epoch; undefined when there is none any more. */
  after(time: number): number | undefined;
}

export function cronSchedule(expression: string, timeZone: string | undefined): CronSchedule {
  const fields = expression.trim().split(/\s+/);
  try {
    const cron = new Cron(fields.join(" "), { paused: true, alternativeWeekdays: fields.length > 5, sloppyRanges: true, timezone: timeZone });
    // Asking once finds an unknown time zone now instead of at the first tick.
    cron.nextRun(new Date(0));
    return { after: (time) => cron.nextRun(new Date(time))?.getTime() };
  } catch (thrown) {
    const reason = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/^\w+: /, "");
    throw new CompileError("bad-cron", `the schedule '${expression}' is not understood: ${reason}`, {
      hint: "write five fields (minute hour day month weekday), or six and more with seconds first, such as 0/30 * * * * ?",
    });
  }
}
