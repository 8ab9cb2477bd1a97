import { MappingFault } from "../mapping-fault.ts";
import { formatTime, parseTime, toDay, toTime } from "../date-values.ts";
import { isNothing, toNumber, toText } from "../values.ts";
import { define, withPattern, type LanguageFunction, type LanguageFunctions } from "./language-function.ts";

const dayMs = 86_400_000;

function ofDate(min: number, max: number, apply: (time: number, ...more: any[]) => unknown): LanguageFunction {
  return define(min, max, (value, ...more) => (isNothing(value) || value === "" ? null : apply(toTime(value), ...more)));
}

/** Adds to a date; the result has a time of day only when the input had one. */
function adding(move: (date: Date, amount: number) => void): LanguageFunction {
  return define(2, 2, (value, amount) => {
    if (isNothing(value) || value === "") return null;
    const date = new Date(toTime(value));
    move(date, Math.trunc(toNumber(amount) ?? 0));
    if (Number.isNaN(date.getTime())) throw new MappingFault("expression", "the resulting date is out of range", value);
    return typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && date.getTime() % dayMs === 0 ? date.toISOString().slice(0, 10) : date.toISOString();
  });
}

/** The last day of the month stays the last day: January 31 plus one month is the end of February. */
function addMonths(date: Date, months: number): void {
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()));
}

export const dateFunctions: LanguageFunctions = {
  date: define(1, 1, (value) => (isNothing(value) || value === "" ? null : toDay(value))),
  dateTime: ofDate(1, 1, (time) => new Date(time).toISOString()),
  time: ofDate(1, 1, (time) => new Date(time).toISOString().slice(11, 19)),
  formatDate: withPattern(
    ofDate(2, 3, (time, pattern, zone) => formatTime(time, toText(pattern), isNothing(zone) ? undefined : toText(zone))),
    (pattern) => formatTime(0, pattern),
  ),
  parseDate: withPattern(
    define(2, 3, (value, pattern, zone) => {
      if (isNothing(value) || value === "") return null;
      const iso = new Date(parseTime(toText(value), toText(pattern), isNothing(zone) ? undefined : toText(zone))).toISOString();
      return /[HmsS]/.test(toText(pattern)) ? iso : iso.slice(0, 10);
    }),
    (pattern) => formatTime(0, pattern),
  ),
  epochMillis: ofDate(1, 1, (time) => time),
  addDays: adding((date, amount) => void date.setUTCDate(date.getUTCDate() + amount)),
  addMonths: adding(addMonths),
  addYears: adding((date, amount) => addMonths(date, amount * 12)),
  addHours: adding((date, amount) => void date.setUTCHours(date.getUTCHours() + amount)),
  addMinutes: adding((date, amount) => void date.setUTCMinutes(date.getUTCMinutes() + amount)),
  daysBetween: define(2, 2, (from, to) => (isNothing(from) || isNothing(to) ? null : Math.trunc((toTime(to) - toTime(from)) / dayMs) + 0)),
  year: ofDate(1, 1, (time) => new Date(time).getUTCFullYear()),
  month: ofDate(1, 1, (time) => new Date(time).getUTCMonth() + 1),
  day: ofDate(1, 1, (time) => new Date(time).getUTCDate()),
};
