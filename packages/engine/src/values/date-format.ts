// Java's SimpleDateFormat patterns in English, compiled once to a list of small functions.
import { FlowError } from "../errors/flow-error.ts";
import type { Zone } from "./calendar.ts";

const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const dayMs = 86_400_000;

/** An instant, its clock fields in the zone (readable with the UTC getters) and the zone's offset. */
interface Moment {
  readonly time: number;
  readonly local: Date;
  readonly offset: number;
  readonly zone: Zone;
}
type Piece = (moment: Moment) => string;

export type DateFormat = (time: number, zone: Zone) => string;

const pad = (value: number, width: number): string => (value < 0 ? `-${String(-value).padStart(width, "0")}` : String(value).padStart(width, "0"));
const shorten = (text: string, count: number): string => (count < 4 ? text.slice(0, 3) : text);
const number =
  (read: (local: Date) => number) =>
  (count: number): Piece =>
  ({ local }) =>
    pad(read(local), count);

const letters: Readonly<Record<string, (count: number) => Piece>> = {
  G:
    () =>
    ({ local }) =>
      local.getUTCFullYear() > 0 ? "AD" : "BC",
  y:
    (count) =>
    ({ local }) =>
      year(local.getUTCFullYear(), count),
  Y:
    (count) =>
    ({ local }) =>
      year(weekYear(local), count),
  M: month,
  L: month,
  w: number((local) => weekOfYear(local)),
  W: number((local) => Math.floor((local.getUTCDate() - 1 + new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1)).getUTCDay()) / 7) + 1),
  D: number((local) => dayOfYear(local)),
  d: number((local) => local.getUTCDate()),
  F: number((local) => Math.floor((local.getUTCDate() - 1) / 7) + 1),
  E:
    (count) =>
    ({ local }) =>
      shorten(days[local.getUTCDay()] as string, count),
  u: number((local) => local.getUTCDay() || 7),
  a:
    () =>
    ({ local }) =>
      local.getUTCHours() < 12 ? "AM" : "PM",
  H: number((local) => local.getUTCHours()),
  k: number((local) => local.getUTCHours() || 24),
  K: number((local) => local.getUTCHours() % 12),
  h: number((local) => local.getUTCHours() % 12 || 12),
  m: number((local) => local.getUTCMinutes()),
  s: number((local) => local.getUTCSeconds()),
  S: number((local) => local.getUTCMilliseconds()),
  z: (count) => (moment) => zoneName(moment, count),
  Z:
    () =>
    ({ offset }) =>
      formatOffset(offset, ""),
  X: (count) => {
    if (count > 3) throw patternFault("XXXX", "use one to three X");
    return ({ offset }) => (offset === 0 ? "Z" : count === 1 ? formatOffset(offset, "").slice(0, 3) : formatOffset(offset, count === 2 ? "" : ":"));
  },
};

/** Compiles a pattern such as `yyyy-MM-dd'T'HH:mm:ss.SSSXXX`; throws a FlowError for an unknown letter. */
export function compileDateFormat(pattern: string): DateFormat {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at] as string;
    if (char === "'") {
      const quoted = readQuoted(pattern, at);
      pieces.push(() => quoted.text);
      at = quoted.end;
    } else if (/[A-Za-z]/.test(char)) {
      let end = at + 1;
      while (pattern[end] === char) end++;
      if (!Object.hasOwn(letters, char)) throw patternFault(pattern, `unknown letter ${char}; quote literal text as 'text'`);
      pieces.push((letters[char] as (count: number) => Piece)(end - at));
      at = end;
    } else {
      pieces.push(() => char);
      at++;
    }
  }
  return (time, zone) => {
    const offset = zone.offsetMinutes(time);
    const moment: Moment = { time, local: new Date(time + offset * 60_000), offset, zone };
    let text = "";
    for (const piece of pieces) text += piece(moment);
    return text;
  };
}

function readQuoted(pattern: string, start: number): { readonly text: string; readonly end: number } {
  if (pattern[start + 1] === "'") return { text: "'", end: start + 2 };
  let text = "";
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] !== "'") text += pattern[at];
    else if (pattern[at + 1] === "'") {
      text += "'";
      at++;
    } else return { text, end: at + 1 };
  }
  throw patternFault(pattern, "a quote is not closed");
}

function patternFault(pattern: string, reason: string): FlowError {
  return new FlowError("java.lang.IllegalArgumentException", `the date pattern '${pattern}' is invalid: ${reason}`, { code: "date-pattern-invalid" });
}

function year(value: number, count: number): string {
  const displayed = value > 0 ? value : 1 - value;
  return count === 2 ? pad(displayed % 100, 2) : pad(displayed, count);
}

function month(count: number): Piece {
  return count < 3 ? ({ local }) => pad(local.getUTCMonth() + 1, count) : ({ local }) => shorten(months[local.getUTCMonth()] as string, count);
}

function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / dayMs) + 1;
}

/** Weeks with US rules: they begin on Sunday, and the week of January 1 is the first. */
function weekOfYear(local: Date): number {
  const saturday = new Date(local.getTime() + (6 - local.getUTCDay()) * dayMs);
  return Math.floor((dayOfYear(saturday) - 1) / 7) + 1;
}

function weekYear(local: Date): number {
  return new Date(local.getTime() + (6 - local.getUTCDay()) * dayMs).getUTCFullYear();
}

function formatOffset(offset: number, separator: string): string {
  const minutes = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(minutes / 60), 2)}${separator}${pad(minutes % 60, 2)}`;
}

function zoneName({ time, offset, zone }: Moment, count: number): string {
  if (zone.id === "UTC" && count >= 4) return "Coordinated Universal Time";
  if (zone.id === "UTC" || zone.id === "GMT") return zone.id;
  const names = ["en-US", "en-GB", "en-AU"].map((locale) => localZoneName(locale, time, zone.id, count));
  // Intl has English zone names only in the locales where they are used; elsewhere it falls back to an offset.
  return names.find((name) => name !== undefined && !/[+-]\d/.test(name)) ?? `GMT${formatOffset(offset, ":")}`;
}

function localZoneName(locale: string, time: number, timeZone: string, count: number): string | undefined {
  try {
    const format = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: count < 4 ? "short" : "long" });
    return format.formatToParts(time).find((part) => part.type === "timeZoneName")?.value;
  } catch {
    return undefined;
  }
}
