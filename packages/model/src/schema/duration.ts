const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses Camel's durations to milliseconds: a bare number of milliseconds, amounts with units such as `10s` and `1m30s`, or ISO 8601 text such as
 * `PT5S`. Undefined for invalid text.
 */
export function parseDuration(text: string): number | undefined {
  if (/^-?\d+$/.test(text)) return Number(text);
  const body = /^PT?/i.test(text) ? text.replace(/^PT?/i, "") : text;
  const parts = [...body.matchAll(/\s*(\d+(?:\.\d+)?)\s*(ms|millis|milliseconds?|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)\s*/giy)];
  if (parts.length === 0 || parts.reduce((length, part) => length + part[0].length, 0) !== body.length) return undefined;
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitOf(unit as string), 0);
}

function unitOf(word: string): number {
  const lower = word.toLowerCase();
  return units[lower] ?? (lower.startsWith("mil") ? 1 : (units[lower.charAt(0)] as number));
}
