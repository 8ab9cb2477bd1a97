// The regular expression engine that matches in linear time. It is large, so a runtime without patterns does not load it: the bundle
// initializes this module on the first call.
import { RE2JS } from "re2js";

export interface LinearFlags {
  readonly ignoreCase?: boolean;
  readonly dotAll?: boolean;
  readonly multiline?: boolean;
}

/** Compiles a pattern in the engine's own syntax; throws an Error that describes the mistake. */
export function compileLinear(source: string, { ignoreCase, dotAll, multiline }: LinearFlags = {}): RE2JS {
  let flags = 0;
  if (ignoreCase === true) flags |= RE2JS.CASE_INSENSITIVE;
  if (dotAll === true) flags |= RE2JS.DOTALL;
  if (multiline === true) flags |= RE2JS.MULTILINE;
  return RE2JS.compile(source, flags);
}

/** Translates JavaScript's syntax of named groups and escapes. */
export function translateRegExp(source: string): string {
  return RE2JS.translateRegExp(source);
}
