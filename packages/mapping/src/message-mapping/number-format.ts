// Number patterns: `0` is a required digit, `#` an optional one, `,` groups, with literal text around them.
import { MappingFault } from "./mapping-fault.ts";
import { decimalOf, roundTo } from "./values.ts";

interface NumberPattern {
  readonly before: string;
  readonly after: string;
  readonly minWholeDigits: number;
  readonly groupSize: number;
  readonly minFractionDigits: number;
  readonly maxFractionDigits: number;
}

const cache = new Map<string, NumberPattern>();

/** Formats a number by a pattern, rounded half away from zero: `formatNumber(1234.5, "#,##0.00")` is `1,234.50`. */
export function formatNumber(value: number, pattern: string): string {
  const { before, after, minWholeDigits, groupSize, minFractionDigits, maxFractionDigits } = compileNumberPattern(pattern);
  const rounded = roundTo(Math.abs(value), maxFractionDigits);
  if (!(rounded < 1e21)) throw new MappingFault("type", `${value} cannot be written with the pattern '${pattern}'`, value);
  const [whole, fraction] = digitsOf(rounded);
  const shortened = fraction.slice(0, maxFractionDigits).replace(/0+$/, "").padEnd(minFractionDigits, "0");
  const padded = whole === "0" && minWholeDigits === 0 && shortened !== "" ? "" : whole.padStart(minWholeDigits, "0");
  const grouped = groupSize === 0 ? padded : padded.replaceAll(new RegExp(`\\B(?=(\\d{${groupSize}})+$)`, "g"), ",");
  return `${value < 0 && rounded !== 0 ? "-" : ""}${before}${grouped}${shortened === "" ? "" : `.${shortened}`}${after}`;
}

/** The digits before and after the point, as few as identify the number: additional digits are artifacts of binary storage. */
function digitsOf(value: number): readonly [string, string] {
  const text = String(value);
  if (text.includes("e")) {
    const { significantDigits, exponent } = decimalOf(value);
    return ["0", "0".repeat(-exponent - 1) + significantDigits];
  }
  const [whole = "0", fraction = ""] = text.split(".");
  return [whole, fraction];
}

/** Compiles a pattern; throws a fault for an invalid one. */
export function compileNumberPattern(pattern: string): NumberPattern {
  const cached = cache.get(pattern);
  if (cached !== undefined) return cached;
  const match = /^([^#0,.]*)([#,]*[0,]*)(?:\.(0*)(#*))?([^#0,.]*)$/.exec(pattern);
  const [, before = "", whole = "", zeros = "", hashes = "", after = ""] = match ?? [];
  if (match === null || (whole === "" && zeros === "" && hashes === "") || zeros.length + hashes.length > 20)
    throw new MappingFault("expression", `'${pattern}' is not a number pattern: use one like #,##0.00`);
  const comma = whole.lastIndexOf(",");
  const compiled = {
    before,
    after,
    minWholeDigits: whole.replaceAll(/[^0]/g, "").length,
    groupSize: comma < 0 ? 0 : whole.length - comma - 1,
    minFractionDigits: zeros.length,
    maxFractionDigits: zeros.length + hashes.length,
  };
  if (cache.size < 500) cache.set(pattern, compiled);
  return compiled;
}
