import { compileLinearPattern, type LinearPattern, type PatternMatch } from "../language-values/linear-pattern.ts";
import type { JqMachine } from "./jq-machine.ts";
import { describe, fail, setMember, type Members } from "./jq-values.ts";

export interface JqMatch {
  readonly start: number;
  readonly end: number;
  readonly value: Members;
}

/** All matches (or the first, without the g flag) as jq's match objects; offsets count code points. */
export function matchText(input: unknown, pattern: unknown, flags: unknown, machine: JqMachine): JqMatch[] {
  if (typeof input !== "string") return fail(`${describe(input)} cannot be matched, as it is not a string`);
  const [source, letters] = patternOf(pattern, flags);
  const compiled = compile(source, letters);
  machine.spend(input.length / 4 + 4);
  const points = pointCounter(input);
  const found: JqMatch[] = [];
  for (const match of compiled.all(input)) {
    machine.spend(2);
    if (letters.includes("n") && match.start === match.end) continue;
    found.push({ start: match.start, end: match.end, value: describeMatch(match, input, compiled, points) });
    if (!letters.includes("g")) break;
  }
  return found;
}

export function testText(input: unknown, pattern: unknown, flags: unknown, machine: JqMachine): boolean {
  if (typeof input !== "string") return fail(`${describe(input)} cannot be matched, as it is not a string`);
  const [source, letters] = patternOf(pattern, flags);
  machine.spend(input.length / 4 + 4);
  return compile(source, letters).test(input);
}

function patternOf(pattern: unknown, flags: unknown): readonly [string, string] {
  const [source, letters] = Array.isArray(pattern) ? (pattern as unknown[]) : [pattern, flags];
  if (typeof source !== "string") return fail(`${describe(source)} cannot be matched, as it is not a string`);
  if (letters !== null && letters !== undefined && typeof letters !== "string") return fail(`${describe(letters)} is not a string`);
  const text = letters ?? "";
  if (!/^[gimnpslx]*$/.test(text)) return fail(`${text} is not a valid modifier string`);
  return [source, text];
}

/** Oniguruma's `s` and `p` let the dot match line ends; `x` ignores whitespace in the pattern. */
function compile(source: string, letters: string): LinearPattern {
  try {
    return compileLinearPattern(source, `${letters.includes("i") ? "i" : ""}${/[sp]/.test(letters) ? "s" : ""}${letters.includes("x") ? "x" : ""}`);
  } catch (cause) {
    return fail(`${source} (at offset 0) is not a valid regex: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function describeMatch(match: PatternMatch, input: string, compiled: LinearPattern, points: (unit: number) => number): Members {
  const captures = match.groups.map((group, index) => {
    const name = compiled.groupNames[index] ?? null;
    return {
      offset: group === undefined ? -1 : points(group.start),
      length: group === undefined ? 0 : points(group.end) - points(group.start),
      string: group === undefined ? null : group.text,
      name,
    };
  });
  return { offset: points(match.start), length: points(match.end) - points(match.start), string: input.slice(match.start, match.end), captures };
}

/** Converts UTF-16 offsets to code point counts. Only strings with surrogates need it. */
function pointCounter(text: string): (unit: number) => number {
  if (!/[\uD800-\uDBFF]/.test(text)) return (unit) => unit;
  const counts = new Uint32Array(text.length + 1);
  for (let unit = 0, count = 0; unit <= text.length; unit++) {
    counts[unit] = count;
    const code = text.charCodeAt(unit);
    if (!(code >= 0xd800 && code <= 0xdbff)) count++;
  }
  return (unit) => counts[unit] as number;
}

/** The named groups of a match as an object. */
export function captureOf(match: Members): Members {
  const result: Members = {};
  for (const capture of match["captures"] as Members[]) if (typeof capture["name"] === "string") setMember(result, capture["name"], capture["string"]);
  return result;
}
