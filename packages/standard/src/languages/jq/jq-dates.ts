// Dates as jq has them: seconds since 1970, or "broken down" lists [year, month-1, day, h, m, s, weekday, yearday]. UTC only.
import { fail } from "./jq-values.ts";

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const pad = (number: number, width = 2, fill = "0"): string => String(number).padStart(width, fill);

export function breakDown(seconds: unknown, name = "gmtime"): number[] {
  if (typeof seconds !== "number") return fail(`${name}() requires numeric inputs`);
  const date = new Date(Math.trunc(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return fail("error converting number of seconds since epoch to datetime");
  const fraction = seconds - Math.floor(seconds);
  const start = Date.UTC(date.getUTCFullYear(), 0, 1);
  return [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds() + fraction,
    date.getUTCDay(),
    Math.floor((date.getTime() - start) / 86_400_000),
  ];
}

export function toSeconds(parts: unknown, name = "mktime"): number {
  if (!Array.isArray(parts) || parts.length < 6) return fail(`${name} requires array of 6 numbers`);
  if (!parts.every((part) => typeof part === "number")) return fail(`${name} requires parsed datetime inputs`);
  const [year, month, day, hour, minute, second] = parts as [number, number, number, number, number, number];
  const time = new Date(0).setUTCFullYear(year, month, day);
  return Math.floor(time / 1000) + hour * 3600 + minute * 60 + Math.floor(second);
}

/** Text of a date by C's format letters. */
export function formatDate(input: unknown, format: unknown, name = "strftime"): string {
  if (typeof format !== "string") return fail(`${name}/1 requires a string format`);
  if (typeof input !== "number" && !Array.isArray(input)) return fail(`${name}/1 requires parsed datetime inputs`);
  const seconds = typeof input === "number" ? input : toSeconds(input, name);
  const [year, month, day, hour, minute, second, weekday, yearday] = breakDown(seconds) as [number, number, number, number, number, number, number, number];
  const whole = Math.floor(second);
  const put = (letter: string): string => {
    const values: Readonly<Record<string, () => string>> = {
      Y: () => String(year),
      C: () => pad(Math.floor(year / 100)),
      y: () => pad(year % 100),
      m: () => pad(month + 1),
      d: () => pad(day),
      e: () => pad(day, 2, " "),
      H: () => pad(hour),
      I: () => pad(hour % 12 === 0 ? 12 : hour % 12),
      k: () => pad(hour, 2, " "),
      l: () => pad(hour % 12 === 0 ? 12 : hour % 12, 2, " "),
      M: () => pad(minute),
      S: () => pad(whole),
      p: () => (hour < 12 ? "AM" : "PM"),
      P: () => (hour < 12 ? "am" : "pm"),
      j: () => pad(yearday + 1, 3),
      A: () => days[weekday] as string,
      a: () => (days[weekday] as string).slice(0, 3),
      B: () => months[month] as string,
      b: () => (months[month] as string).slice(0, 3),
      h: () => (months[month] as string).slice(0, 3),
      u: () => String(weekday === 0 ? 7 : weekday),
      w: () => String(weekday),
      s: () => String(Math.floor(seconds)),
      Z: () => "UTC",
      z: () => "+0000",
      n: () => "\n",
      t: () => "\t",
      "%": () => "%",
      T: () => expand("%H:%M:%S"),
      R: () => expand("%H:%M"),
      D: () => expand("%m/%d/%y"),
      F: () => expand("%Y-%m-%d"),
      c: () => expand("%a %b %e %H:%M:%S %Y"),
      x: () => expand("%m/%d/%y"),
      X: () => expand("%H:%M:%S"),
      r: () => expand("%I:%M:%S %p"),
      U: () => pad(Math.floor((yearday + 7 - weekday) / 7)),
      W: () => pad(Math.floor((yearday + 7 - ((weekday + 6) % 7)) / 7)),
      G: () => String(isoWeek(seconds)[0]),
      V: () => pad(isoWeek(seconds)[1]),
      g: () => pad(isoWeek(seconds)[0] % 100),
    };
    return Object.hasOwn(values, letter) ? (values[letter] as () => string)() : `%${letter}`;
  };
  const expand = (text: string): string => text.replaceAll(/%([%a-zA-Z])/g, (_all, letter: string) => put(letter));
  return expand(format);
}

function isoWeek(seconds: number): readonly [number, number] {
  const date = new Date(Math.floor(seconds) * 1000);
  const thursday = new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * 86_400_000);
  const year = thursday.getUTCFullYear();
  return [year, 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000))];
}

/** A date read from text by C's format letters, broken down. */
export function parseDate(input: unknown, format: unknown): number[] {
  if (typeof input !== "string") return fail(`strptime/1 requires string inputs and arguments`);
  if (typeof format !== "string") return fail(`strptime/1 requires string inputs and arguments`);
  const wrong = (): never => fail(`date ${JSON.stringify(input)} does not match format ${JSON.stringify(format)}`);
  const parts = {
    year: 1900,
    month: 0,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    offset: 0,
    afternoon: undefined as boolean | undefined,
    epoch: undefined as number | undefined,
  };
  let at = 0;
  const number = (width: number): number => {
    const found = new RegExp(`[ ]*[+-]?\\d{1,${width}}`, "y");
    found.lastIndex = at;
    const match = found.exec(input);
    if (match === null) return wrong();
    at += match[0].length;
    return Number(match[0]);
  };
  const word = (names: readonly string[]): number => {
    const rest = input.slice(at).toLowerCase();
    const index = names.findIndex((name) => rest.startsWith(name.toLowerCase().slice(0, 3)));
    if (index < 0) return wrong();
    at += rest.startsWith((names[index] as string).toLowerCase()) ? (names[index] as string).length : 3;
    return index;
  };
  const letters: Readonly<Record<string, () => void>> = {
    Y: () => void (parts.year = number(4)),
    m: () => void (parts.month = number(2) - 1),
    d: () => void (parts.day = number(2)),
    e: () => void (parts.day = number(2)),
    H: () => void (parts.hour = number(2)),
    I: () => void (parts.hour = number(2) % 12),
    M: () => void (parts.minute = number(2)),
    S: () => void (parts.second = number(2)),
    y: () => {
      const two = number(2);
      parts.year = two < 69 ? 2000 + two : 1900 + two;
    },
    j: () => {
      parts.month = 0;
      parts.day = number(3);
    },
    p: () => void (parts.afternoon = word(["AM ", "PM "]) === 1),
    A: () => void word(days),
    a: () => void word(days),
    B: () => void (parts.month = word(months)),
    b: () => void (parts.month = word(months)),
    h: () => void (parts.month = word(months)),
    s: () => void (parts.epoch = number(15)),
    T: () => read("%H:%M:%S"),
    R: () => read("%H:%M"),
    D: () => read("%m/%d/%y"),
    F: () => read("%Y-%m-%d"),
    Z: () => {
      const zone = /[A-Za-z]+/y;
      zone.lastIndex = at;
      const match = zone.exec(input);
      if (match === null) wrong();
      else at += match[0].length;
    },
    z: () => {
      const zone = /(Z)|([+-])(\d\d):?(\d\d)/y;
      zone.lastIndex = at;
      const match = zone.exec(input);
      if (match === null) wrong();
      else at += match[0].length;
    },
    "%": () => literal("%"),
  };
  const literal = (character: string): void => {
    if (input.charAt(at) !== character) wrong();
    at++;
  };
  const read = (text: string): void => {
    for (let index = 0; index < text.length; index++) {
      const character = text.charAt(index);
      if (/\s/.test(character)) while (/\s/.test(input.charAt(at))) at++;
      else if (character !== "%") literal(character);
      else {
        const letter = text.charAt(++index);
        if (Object.hasOwn(letters, letter)) (letters[letter] as () => void)();
        else fail(`strptime: %${letter} is not supported`);
      }
    }
  };
  read(format);
  if (at < input.length) wrong();
  if (parts.epoch !== undefined) return breakDown(parts.epoch);
  const hour = parts.afternoon === true && parts.hour < 12 ? parts.hour + 12 : parts.hour;
  return breakDown(toSeconds([parts.year, parts.month, parts.day, hour, parts.minute, parts.second]));
}
