// Endpoint and id patterns with Camel's rules: exact, else a trailing *, else a regular expression; case-insensitive.
import { isFlowError } from "../errors/flow-error.ts";
import { compilePattern } from "../values/pattern.ts";

/** Endpoint URIs as Camel writes them in properties: `direct:x` is `direct://x`. */
export function longForm(uri: string): string {
  return uri.replace(/^([a-z][\w.+-]*):(?!\/\/)/i, "$1://");
}

/** `mock:a`, `mock://a` and `mock:a?x=1` are the same endpoint for a pattern without options. */
export function uriForms(uri: string): readonly string[] {
  const short = uri.replace(/^([a-z][\w.+-]*):\/\//i, "$1:");
  const bare = short.split("?", 1)[0] as string;
  return [...new Set([short, bare, longForm(short), longForm(bare)])];
}

/** A predicate for strings that match the pattern. */
export function textPattern(pattern: string): (text: string) => boolean {
  const lower = pattern.toLowerCase();
  if (lower === "*") return () => true;
  if (lower.endsWith("*") && !/[.()[\]\\^$+?|]/.test(lower.slice(0, -1))) {
    const prefix = lower.slice(0, -1);
    return (text) => text.toLowerCase().startsWith(prefix);
  }
  let matches: ((text: string) => boolean) | undefined;
  return (text) => {
    if (text.toLowerCase() === lower) return true;
    matches ??= regexMatch(pattern);
    return matches(text);
  };
}

/** Like {@link textPattern}, for every spelling of an endpoint. */
export function uriPattern(pattern: string): (uri: string) => boolean {
  const matches = textPattern(pattern);
  return (uri) => uriForms(uri).some(matches);
}

function regexMatch(pattern: string): (text: string) => boolean {
  try {
    const compiled = compilePattern(`(?i)${pattern}`);
    return (text) => compiled.matches(text);
  } catch (error) {
    // Text that is not a valid regular expression matches only itself, as in Camel.
    if (isFlowError(error)) return () => false;
    throw error;
  }
}
