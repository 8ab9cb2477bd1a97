// Camel's name matching for removeHeaders, removeProperties and claim check filters.
import { CompileError } from "@sluice/engine/spi";
import { compilePattern } from "@sluice/engine/values";

export type NamePattern = (name: string) => boolean;

/** Matches an exact name, a prefix that ends in `*`, or a regular expression for the whole name; case-insensitive. */
export function namePattern(pattern: string): NamePattern {
  const lower = pattern.toLowerCase();
  if (lower === "*") return () => true;
  if (lower.endsWith("*") && !/[[\](){}|\\^$+?.]/.test(lower.slice(0, -1))) {
    const prefix = lower.slice(0, -1);
    return (name) => name.toLowerCase().startsWith(prefix);
  }
  const isMatch = compile(pattern);
  return (name) => name.toLowerCase() === lower || isMatch(name);
}

/** Names that match `pattern` and none of `excluded`. */
export function namesToRemove(pattern: string, excluded: string | undefined): NamePattern {
  const matches = namePattern(pattern);
  if (excluded === undefined) return matches;
  const isExcluded = namePattern(excluded);
  return (name) => matches(name) && !isExcluded(name);
}

function compile(pattern: string): (name: string) => boolean {
  try {
    const compiled = compilePattern(pattern, { ignoreCase: true });
    return (name) => compiled.matches(name);
  } catch (error) {
    throw new CompileError("pattern-invalid", (error as Error).message);
  }
}
