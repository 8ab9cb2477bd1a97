// Regular expressions of flows and messages with linear-time matching, so that a pattern such as ^(a+)+$ cannot block the process.
import type { RE2JS } from "re2js";
import { compileLinear, translateRegExp } from "@sluice/engine/values";

export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** The groups from 1 on; undefined for groups that did not match. */
  readonly groups: readonly ({ readonly start: number; readonly end: number; readonly text: string } | undefined)[];
}

export interface LinearPattern {
  /** Names of the groups from 1 on; undefined for unnamed groups. */
  readonly groupNames: readonly (string | undefined)[];
  /** True when the whole text matches. */
  matches(text: string): boolean;
  /** True when the pattern is found somewhere. */
  test(text: string): boolean;
  /** The matches from left to right; an empty match advances by one character. */
  all(text: string): Generator<PatternMatch>;
  /** The first match at or after a position. */
  findFrom(text: string, from: number): PatternMatch | undefined;
}

const cache = new Map<string, LinearPattern>();
const maxCached = 256;

/**
 * Compiles a pattern; throws an Error that describes the mistake. `flags`: i, m, s, x.
 * Compiled patterns are cached, so that a pattern from a message is compiled once.
 */
export function compileLinearPattern(source: string, flags = ""): LinearPattern {
  const key = `${flags}/${source}`;
  let pattern = cache.get(key);
  if (pattern === undefined) {
    pattern = create(source, flags);
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value as string);
    cache.set(key, pattern);
  }
  return pattern;
}

function create(source: string, flags: string): LinearPattern {
  const compiled = compileLinear(translateRegExp(flags.includes("x") ? withoutBlanks(source) : source), {
    ignoreCase: flags.includes("i"),
    dotAll: flags.includes("s"),
    multiline: flags.includes("m"),
  });
  const groupIndexes = compiled.namedGroups();
  const groupNames: (string | undefined)[] = Array.from({ length: compiled.groupCount() }, () => undefined);
  for (const name of Object.keys(groupIndexes)) groupNames[(groupIndexes[name] as number) - 1] = name;
  return {
    groupNames,
    matches: (text) => compiled.testExact(text),
    test: (text) => compiled.test(text),
    all: (text) => allMatches(compiled, text),
    findFrom: (text, from) => {
      const matcher = compiled.matcher(text);
      return matcher.find(from) ? toMatch(matcher, compiled.groupCount()) : undefined;
    },
  };
}

function* allMatches(compiled: RE2JS, text: string): Generator<PatternMatch> {
  const matcher = compiled.matcher(text);
  const count = compiled.groupCount();
  while (matcher.find()) yield toMatch(matcher, count);
}

function toMatch(matcher: ReturnType<RE2JS["matcher"]>, count: number): PatternMatch {
  const groups: PatternMatch["groups"][number][] = [];
  for (let index = 1; index <= count; index++) {
    const found = matcher.group(index);
    groups.push(found === null ? undefined : { start: matcher.start(index), end: matcher.end(index), text: found });
  }
  return { start: matcher.start(), end: matcher.end(), groups };
}

/** Implements the x flag: whitespace and comments in the pattern are ignored. */
function withoutBlanks(source: string): string {
  let result = "";
  let inClass = false;
  for (let index = 0; index < source.length; index++) {
    const character = source.charAt(index);
    if (character === "\\") {
      result += character + source.charAt(++index);
    } else if (inClass || !/[\s#]/.test(character)) {
      if (character === "[") inClass = true;
      else if (character === "]") inClass = false;
      result += character;
    } else if (character === "#") {
      while (index + 1 < source.length && source.charAt(index + 1) !== "\n") index++;
    }
  }
  return result;
}
