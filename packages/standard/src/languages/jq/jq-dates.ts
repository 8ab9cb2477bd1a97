// Dates in jq: seconds since 1970, or "broken down" lists [year, month-1, day, h, m, s, weekday, yearday]. UTC only.
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

/** Formats a date with the conversion letters of C's `strftime`. */
export function formatDate(input: unknown, format: unknown, name = "strftime"): string {
  if (typeof format !== "string") return fail(`${name}/1 requires a string format`);
  if (typeof input !== "number" && !Array.isArray(input)) return fail(`${name}/1 requires parsed datetime inputs`);
  const seconds = typeof input === "number" ? input : toSeconds(input, name);
  const [year, month, day, hour, minute, second, weekday, yearday] = breakDown(seconds) as [number, number, number, number, number, number, number, number];
  const wholeSeconds = Math.floor(second);
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
      S: () => pad(wholeSeconds),
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

/** Parses a date with the conversion letters of C's `strptime`; returns a broken-down list. */
export function parseDate(input: unknown, format: unknown): number[] {
  if (typeof input !== "string" || typeof format !== "string") return fail(`strptime/1 requires string inputs and arguments`);
  return new DateReader(input, format).read();
}

class DateReader {
  readonly #input: string;
  readonly #format: string;
  #at = 0;
  #year = 1900;
  #month = 0;
  #day = 1;
  #hour = 0;
  #minute = 0;
  #second = 0;
  #isAfternoon = false;
  #epoch: number | undefined = undefined;
  readonly #letters: Readonly<Record<string, () => void>> = {
    Y: () => void (this.#year = this.#number(4)),
    m: () => void (this.#month = this.#number(2) - 1),
    d: () => void (this.#day = this.#number(2)),
    e: () => void (this.#day = this.#number(2)),
    H: () => void (this.#hour = this.#number(2)),
    I: () => void (this.#hour = this.#number(2) % 12),
    M: () => void (this.#minute = this.#number(2)),
    S: () => void (this.#second = this.#number(2)),
    y: () => {
      const twoDigits = this.#number(2);
      this.#year = twoDigits < 69 ? 2000 + twoDigits : 1900 + twoDigits;
    },
    j: () => {
      this.#month = 0;
      this.#day = this.#number(3);
    },
    p: () => void (this.#isAfternoon = this.#word(["AM", "PM"]) === 1),
    A: () => void this.#word(days),
    a: () => void this.#word(days),
    B: () => void (this.#month = this.#word(months)),
    b: () => void (this.#month = this.#word(months)),
    h: () => void (this.#month = this.#word(months)),
    s: () => void (this.#epoch = this.#number(15)),
    T: () => this.#readAs("%H:%M:%S"),
    R: () => this.#readAs("%H:%M"),
    D: () => this.#readAs("%m/%d/%y"),
    F: () => this.#readAs("%Y-%m-%d"),
    // Time zones are ignored: jq treats every time as UTC.
    Z: () => void this.#match(/[A-Za-z]+/y),
    z: () => void this.#match(/Z|[+-]\d\d:?\d\d/y),
    "%": () => this.#literal("%"),
  };

  constructor(input: string, format: string) {
    this.#input = input;
    this.#format = format;
  }

  read(): number[] {
    this.#readAs(this.#format);
    if (this.#at < this.#input.length) this.#mismatch();
    if (this.#epoch !== undefined) return breakDown(this.#epoch);
    const hour = this.#isAfternoon && this.#hour < 12 ? this.#hour + 12 : this.#hour;
    return breakDown(toSeconds([this.#year, this.#month, this.#day, hour, this.#minute, this.#second]));
  }

  #readAs(format: string): void {
    for (let index = 0; index < format.length; index++) {
      const character = format.charAt(index);
      if (/\s/.test(character)) while (/\s/.test(this.#input.charAt(this.#at))) this.#at++;
      else if (character !== "%") this.#literal(character);
      else {
        const letter = format.charAt(++index);
        if (Object.hasOwn(this.#letters, letter)) (this.#letters[letter] as () => void)();
        else fail(`strptime: %${letter} is not supported`);
      }
    }
  }

  #number(width: number): number {
    return Number(this.#match(new RegExp(`[ ]*[+-]?\\d{1,${width}}`, "y")));
  }

  /** The index of the name at this position, in full or abbreviated to three letters. */
  #word(names: readonly string[]): number {
    const rest = this.#input.slice(this.#at).toLowerCase();
    const index = names.findIndex((name) => rest.startsWith(name.toLowerCase().slice(0, 3)));
    if (index < 0) return this.#mismatch();
    const name = names[index] as string;
    this.#at += rest.startsWith(name.toLowerCase()) ? name.length : 3;
    return index;
  }

  #literal(character: string): void {
    if (this.#input.charAt(this.#at) !== character) this.#mismatch();
    this.#at++;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#input)?.[0];
    if (found === undefined) return this.#mismatch();
    this.#at += found.length;
    return found;
  }

  #mismatch(): never {
    return fail(`date ${JSON.stringify(this.#input)} does not match format ${JSON.stringify(this.#format)}`);
  }
}
