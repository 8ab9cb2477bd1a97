// Camel's way to match names in removeHeaders, removeProperties and claim check filters.
import { CompileError } from "@sluice/engine/spi";

export type NamePattern = (name: string) => boolean;

/** Exact, else a trailing `*`, else a regular expression over the whole name; letter case never matters. */
export function namePattern(pattern: string): NamePattern {
  const lower = pattern.toLowerCase();
  if (lower === "*") return () => true;
  if (lower.endsWith("*") && !/[[\](){}|\\^$+?.]/.test(lower.slice(0, -1))) {
    const prefix = lower.slice(0, -1);
    return (name) => name.toLowerCase().startsWith(prefix);
  }
  const expression = compile(pattern);
  return (name) => name.toLowerCase() === lower || expression.test(name);
}

/** Names that match `pattern` and none of `excluded`. */
export function namesToRemove(pattern: string, excluded: string | undefined): NamePattern {
  const matches = namePattern(pattern);
  if (excluded === undefined) return matches;
  const keeps = namePattern(excluded);
  return (name) => matches(name) && !keeps(name);
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, "i");
  } catch {
    throw new CompileError(
      "pattern-invalid",
      `'${pattern}' is neither a name, a prefix with *, nor a regular expression`,
    );
  }
}
