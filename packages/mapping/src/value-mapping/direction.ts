// One direction of a table, compiled: a hash map of plain keys, and a list of rows with patterns. The first matching row of the table wins,
// whichever of the two contains it.
import { asText, compilePattern } from "@sluice/engine/values";
import type { Cell, MatchMode, TableContent } from "./value-table.ts";
import { matchesWildcard } from "./wildcard.ts";

export interface Direction {
  /** The first match; undefined when no row matches. With several columns the key is the list of their keys. */
  find(key: unknown): Cell | undefined;
  /** Rows with patterns: a lookup may try each of them. */
  readonly patternRows: number;
}

interface PatternRow {
  readonly row: number;
  readonly value: Cell;
  matches(keys: readonly string[]): boolean;
}

/** Longer keys match no pattern, which bounds the work of one lookup. */
const maxPatternKeyLength = 10_000;

export function buildDirection({ rows, columns }: TableContent, from: readonly number[], to: number): Direction {
  const modes = from.map((index) => columns[index]?.match ?? "exact");
  if (from.length === 1) return singleColumn(rows, from[0] as number, to, modes[0] as MatchMode);
  return withPatterns(rows, from, to, modes);
}

function singleColumn(rows: TableContent["rows"], from: number, to: number, mode: MatchMode): Direction {
  const plain = new Map<string, Cell>();
  if (mode === "exact" || mode === "ignoreCase") {
    const ignoreCase = mode === "ignoreCase";
    for (const row of rows) {
      const key = row[from];
      const value = row[to];
      if (key === null || key === undefined || value === null || value === undefined) continue;
      const text = ignoreCase ? String(key).toLowerCase() : typeof key === "string" ? key : String(key);
      if (!plain.has(text)) plain.set(text, value);
    }
    if (ignoreCase) return { find: (key) => (isNothing(key) ? undefined : plain.get(asText(key).toLowerCase())), patternRows: 0 };
    return { find: (key) => (typeof key === "string" ? plain.get(key) : isNothing(key) ? undefined : plain.get(asText(key))), patternRows: 0 };
  }
  return withPatterns(rows, [from], to, [mode]);
}

function withPatterns(rows: TableContent["rows"], from: readonly number[], to: number, modes: readonly MatchMode[]): Direction {
  const plain = new Map<string, { readonly row: number; readonly value: Cell }>();
  const patterns: PatternRow[] = [];
  for (const [index, row] of rows.entries()) {
    const value = row[to];
    const cells = from.map((column) => row[column]);
    if (value === null || value === undefined || cells.some(isNothing)) continue;
    const texts = cells.map(String);
    if (texts.some((text, at) => isPattern(text, modes[at] as MatchMode))) {
      const matchers = texts.map((text, at) => matcher(text, modes[at] as MatchMode));
      patterns.push({ row: index, value, matches: (keys) => matchers.every((matches, at) => matches(keys[at] as string)) });
    } else {
      const key = joinKey(texts, modes);
      if (!plain.has(key)) plain.set(key, { row: index, value });
    }
  }
  return {
    patternRows: patterns.length,
    find(key) {
      const keys = from.length === 1 ? [key] : (key as readonly unknown[]);
      if (keys.some(isNothing)) return undefined;
      const texts = keys.map(asText);
      const hit = plain.get(joinKey(texts, modes));
      if (patterns.length === 0 || texts.some((text) => text.length > maxPatternKeyLength)) return hit?.value;
      for (const pattern of patterns) {
        if (hit !== undefined && hit.row < pattern.row) break;
        if (pattern.matches(texts)) return pattern.value;
      }
      return hit?.value;
    },
  };
}

/** A cell of a wildcard or regex column is a pattern if it contains a special character. */
export function isPattern(text: string, mode: MatchMode): boolean {
  return mode === "wildcard" ? /[*?]/.test(text) : mode === "regex" && /[\\^$.|?*+()[\]{}]/.test(text);
}

function matcher(text: string, mode: MatchMode): (key: string) => boolean {
  if (mode === "wildcard") return (key) => matchesWildcard(text, key);
  if (mode === "regex") {
    const pattern = compilePattern(text);
    return (key) => pattern.matches(key);
  }
  const folded = mode === "ignoreCase" ? text.toLowerCase() : text;
  return mode === "ignoreCase" ? (key) => key.toLowerCase() === folded : (key) => key === folded;
}

/** Lengths distinguish `ab`+`c` from `a`+`bc`. */
function joinKey(texts: readonly string[], modes: readonly MatchMode[]): string {
  if (texts.length === 1) return modes[0] === "ignoreCase" ? (texts[0] as string).toLowerCase() : (texts[0] as string);
  let key = "";
  for (let at = 0; at < texts.length; at++) {
    const text = modes[at] === "ignoreCase" ? (texts[at] as string).toLowerCase() : (texts[at] as string);
    key += `${text.length}:${text}`;
  }
  return key;
}

const isNothing = (value: unknown): value is null | undefined => value === null || value === undefined;
