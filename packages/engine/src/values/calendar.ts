// Instants and time zones. Time zone data comes from Intl; nothing here reads a clock.

export interface Zone {
  readonly id: string;
  /** Minutes east of UTC at an instant. */
  offsetMinutes(time: number): number;
}

const zones = new Map<string, Zone>();
const gmt: Zone = { id: "GMT", offsetMinutes: () => 0 };
const abbreviations: Readonly<Record<string, string>> = {
  UTC: "UTC",
  Z: "UTC",
  GMT: "UTC",
  PST: "America/Los_Angeles",
  MST: "America/Denver",
  CST: "America/Chicago",
  EST: "-05:00",
  JST: "Asia/Tokyo",
  IST: "Asia/Kolkata",
};

/** The zone of a name (`Europe/Berlin`), an offset (`GMT+8`, `+02:00`) or an abbreviation; GMT when unknown, as in Java. */
export function zoneOf(name: string): Zone {
  const cached = zones.get(name);
  if (cached !== undefined) return cached;
  const zone = createZone(name);
  if (zones.size < 1000) zones.set(name, zone);
  return zone;
}

let runtimeZone: Zone | undefined;

/** The zone of the runtime, read once. */
export function defaultZone(): Zone {
  runtimeZone ??= zoneOf(new Intl.DateTimeFormat("en-US").resolvedOptions().timeZone);
  return runtimeZone;
}

function createZone(name: string): Zone {
  const target = Object.hasOwn(abbreviations, name) ? (abbreviations[name] as string) : name;
  if (target === "UTC") return { ...gmt, id: name === "Z" ? "UTC" : name };
  const offset = /^(?:GMT|UTC)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(target);
  if (offset !== null) {
    const minutes = (offset[1] === "-" ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3] ?? 0));
    return Math.abs(minutes) < 24 * 60 ? { id: name, offsetMinutes: () => minutes } : gmt;
  }
  return /^[A-Za-z0-9+_/-]{1,64}$/.test(target) ? namedZone(name, target) : gmt;
}

function namedZone(id: string, timeZone: string): Zone {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    let lastQuarter = Number.NaN;
    let lastOffset = 0;
    const offsetMinutes = (time: number): number => {
      // Modern offsets change only on quarter hours, so one is cached per quarter hour; older dates may be off around a transition.
      const quarter = Math.floor(time / 900_000);
      if (quarter !== lastQuarter) {
        lastOffset = offsetAt(format, time);
        lastQuarter = quarter;
      }
      return lastOffset;
    };
    return { id, offsetMinutes };
  } catch {
    return gmt;
  }
}

function offsetAt(format: Intl.DateTimeFormat, time: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(time)) part[type] = Number(value);
  const local = Date.UTC(part["year"] as number, (part["month"] as number) - 1, part["day"], part["hour"], part["minute"], part["second"]);
  return Math.round((local - Math.floor(time / 1000) * 1000) / 60_000);
}

/** Converts a local time, given as if it were UTC milliseconds, to an instant. */
export function instantOf(local: number, zone: Zone): number {
  const guess = local - zone.offsetMinutes(local) * 60_000;
  return local - zone.offsetMinutes(guess) * 60_000;
}

const iso = /^([+-]\d{6}|\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2}|[+-]\d{2})?$/;

/** Milliseconds since 1970 of an ISO 8601 string; without an offset it is a time in `zone`. Undefined when it is not a date. */
export function parseIsoDate(text: string, zone?: Zone): number | undefined {
  const match = iso.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", offset] = match;
  const check = new Date(Date.UTC(2000, 0, 1, Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, "0").slice(0, 3))));
  // Date.UTC maps years below 100 to the 20th century, so the year is set separately.
  check.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const local = check.getTime();
  if (check.getUTCDate() !== Number(day) || check.getUTCMonth() !== Number(month) - 1 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined;
  return instantOf(local, offset === undefined ? (zone ?? defaultZone()) : zoneOf(offset === "Z" ? "UTC" : offset));
}

/** The instant of a value: a date, milliseconds since 1970 or ISO 8601 text. Undefined for anything else. */
export function asTime(value: unknown, zone?: Zone): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? Math.trunc(value) : undefined;
  if (value instanceof Date) return value.getTime();
  return typeof value === "string" ? parseIsoDate(value, zone) : undefined;
}
