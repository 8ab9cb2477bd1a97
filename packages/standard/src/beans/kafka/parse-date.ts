// Parses a date with a pattern such as `yyyy-MM-dd HH:mm:ss`, in UTC unless the text has a zone offset.
import { FlowError } from "@sluice/engine/spi";

const fields: Readonly<Record<string, string>> = {
  y: "(?<year>\\d{2,4})",
  M: "(?<month>\\d{1,2})",
  d: "(?<day>\\d{1,2})",
  H: "(?<hour>\\d{1,2})",
  m: "(?<minute>\\d{1,2})",
  s: "(?<second>\\d{1,2})",
  S: "(?<milli>\\d{1,9})",
  Z: "(?<zone>Z|[+-]\\d{2}:?\\d{2})",
  X: "(?<zone>Z|[+-]\\d{2}:?\\d{2})",
};

/** The time in milliseconds; throws when the text does not match the pattern. */
export function parseDate(text: string, pattern: string): number {
  const groups = patternOf(pattern).exec(text.trim())?.groups;
  if (groups === undefined)
    throw new FlowError("java.text.ParseException", `'${text.slice(0, 60)}' does not match the date pattern '${pattern}'`, { code: "kafka-transform" });
  const number = (name: string, fallback: number): number => (groups[name] === undefined ? fallback : Number(groups[name]));
  const milli = Math.round(Number(`0.${groups["milli"] ?? "0"}`) * 1000);
  const year = number("year", 1970);
  const time = Date.UTC(
    year < 100 ? 2000 + year : year,
    number("month", 1) - 1,
    number("day", 1),
    number("hour", 0),
    number("minute", 0),
    number("second", 0),
    milli,
  );
  const zone = /^([+-])(\d{2}):?(\d{2})$/.exec(groups["zone"] ?? "");
  return zone === null ? time : time - (zone[1] === "-" ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3])) * 60_000;
}

const cache = new Map<string, RegExp>();

function patternOf(pattern: string): RegExp {
  const cached = cache.get(pattern);
  if (cached !== undefined) return cached;
  let source = "";
  for (const [part, quoted, letters] of pattern.matchAll(/'([^']*)'|(([A-Za-z])\3*)|[^A-Za-z']+/g)) {
    const field = letters === undefined ? undefined : fields[letters.charAt(0)];
    if (letters !== undefined && field === undefined)
      throw new FlowError(
        "java.lang.IllegalArgumentException",
        `'${letters}' in the date pattern '${pattern.slice(0, 60)}' is not supported: use y, M, d, H, m, s, S, Z or X`,
        { code: "kafka-transform" },
      );
    source += field ?? (quoted ?? part).replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  }
  const compiled = new RegExp(`^${source}$`);
  if (cache.size < 100) cache.set(pattern, compiled);
  return compiled;
}
