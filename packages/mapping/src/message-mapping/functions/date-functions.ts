import { MappingFault } from "../mapping-fault.ts";
import { checkParsable, compileDatePattern, formatTime, hasTimeOfDay, parseTime, parseWritten } from "../date-patterns.ts";
import { isDayOnly, toTimeOfDay, toDay, toTime, writtenTime } from "../date-values.ts";
import { isNothing, scalarOf, toNumber, toText } from "../values.ts";
import { define, withPattern, type LanguageFunction, type LanguageFunctions } from "./language-function.ts";

const dayMs = 86_400_000;

/** A function of a value that returns null for null and empty text: neither is an invalid date. */
function ofValue(min: number, max: number, apply: (value: unknown, ...more: any[]) => unknown): LanguageFunction {
  return define(min, max, (argument, ...more) => {
    const value = scalarOf(argument);
    return isBlank(value) ? null : apply(value, ...more);
  });
}

const isBlank = (value: unknown): boolean => isNothing(value) || value === "";

/** A function of an instant. */
function ofTime(min: number, max: number, apply: (time: number, ...more: any[]) => unknown): LanguageFunction {
  return ofValue(min, max, (value, ...more) => apply(toTime(value), ...more));
}

/** A function of the day of a value. */
const ofDay = (apply: (day: Date) => number): LanguageFunction => ofValue(1, 1, (value) => apply(new Date(writtenTime(value))));

/** Adds to a date; the result has a time of day only when the input had one. */
function addFunction(move: (date: Date, amount: number) => void): LanguageFunction {
  return ofValue(2, 2, (value, amount) => {
    const date = new Date(toTime(value));
    move(date, Math.trunc(toNumber(amount) ?? 0));
    if (Number.isNaN(date.getTime())) throw new MappingFault("expression", "the resulting date is out of range", value);
    return isDayOnly(value) && date.getTime() % dayMs === 0 ? date.toISOString().slice(0, 10) : date.toISOString();
  });
}

/** Clamps to the end of the month: January 31 plus one month is the end of February. */
function addMonths(date: Date, months: number): void {
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  date.setUTCDate(Math.min(day, new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()));
}

export const dateFunctions: LanguageFunctions = {
  date: ofValue(1, 1, toDay),
  dateTime: ofTime(1, 1, (time) => new Date(time).toISOString()),
  time: ofValue(1, 1, toTimeOfDay),
  formatDate: withPattern(
    ofTime(2, 3, (time, pattern, zone) => formatTime(time, toText(pattern), zoneText(zone))),
    compileDatePattern,
  ),
  parseDate: withPattern(ofValue(2, 3, parseDate), checkParsable),
  epochMillis: ofTime(1, 1, (time) => time),
  addDays: addFunction((date, amount) => void date.setUTCDate(date.getUTCDate() + amount)),
  addMonths: addFunction(addMonths),
  addYears: addFunction((date, amount) => addMonths(date, amount * 12)),
  addHours: addFunction((date, amount) => void date.setUTCHours(date.getUTCHours() + amount)),
  addMinutes: addFunction((date, amount) => void date.setUTCMinutes(date.getUTCMinutes() + amount)),
  daysBetween: ofValue(2, 2, (from, to) => (isBlank(scalarOf(to)) ? null : Math.trunc((toTime(to) - toTime(from)) / dayMs) + 0)),
  year: ofDay((day) => day.getUTCFullYear()),
  month: ofDay((day) => day.getUTCMonth() + 1),
  day: ofDay((day) => day.getUTCDate()),
};

/** A string without a time of day is a date, whatever the zone; any other is an instant. */
function parseDate(value: unknown, pattern: unknown, zone: unknown): string {
  const [text, format] = [toText(value), toText(pattern)];
  if (hasTimeOfDay(format)) return new Date(parseTime(text, format, zoneText(zone))).toISOString();
  return new Date(parseWritten(text, format)).toISOString().slice(0, 10);
}

const zoneText = (zone: unknown): string | undefined => (isNothing(zone) ? undefined : toText(zone));
