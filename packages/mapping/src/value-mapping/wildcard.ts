import { hasSurrogates } from "../text/characters.ts";

/**
 * True when the whole text matches a pattern of literal characters, `*` (any characters) and `?` (any one character). Takes at most pattern × text
 * steps.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  // Only `?` depends on surrogate pairs.
  return pattern.includes("?") && hasSurrogates(text) ? matches([...pattern], [...text]) : matches(pattern, text);
}

function matches(pattern: ArrayLike<string>, text: ArrayLike<string>): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let retry = 0;
  while (from < text.length) {
    if (at < pattern.length && pattern[at] === "*") {
      star = at++;
      retry = from;
    } else if (at < pattern.length && (pattern[at] === "?" || pattern[at] === text[from])) {
      at++;
      from++;
    } else if (star >= 0) {
      at = star + 1;
      from = ++retry;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
