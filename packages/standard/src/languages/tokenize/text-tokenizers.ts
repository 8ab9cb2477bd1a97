// Splits text at a separator, at the matches of a pattern, or between a start and an end token.
import type { LinearPattern } from "../language-values/linear-pattern.ts";
import type { Cut, Tokenizer } from "./token-stream.ts";

/** A separator at the very start is skipped, one at the very end adds nothing; empty tokens in between are preserved. */
export function separatorTokenizer(separator: string, include: boolean): Tokenizer {
  let started = false;
  return {
    cut(text, from, complete) {
      if (!started) {
        if (!complete && text.length < separator.length) return undefined;
        started = true;
        if (text.startsWith(separator, from)) return { token: undefined, next: from + separator.length };
      }
      const at = text.indexOf(separator, from);
      if (at < 0) return lastCut(text, from, complete);
      return { token: text.slice(from, include ? at + separator.length : at), next: at + separator.length };
    },
  };
}

export function patternTokenizer(pattern: LinearPattern, include: boolean): Tokenizer {
  let started = false;
  return {
    cut(text, from, complete) {
      if (from >= text.length) return undefined;
      let match = pattern.findFrom(text, from);
      // An empty match splits nothing: the next longer or later one is used.
      for (let position = from; match !== undefined && match.end <= from; match = position < text.length ? pattern.findFrom(text, ++position) : undefined);
      // A match that touches the end could continue in the next chunk.
      if (match !== undefined && match.end >= text.length && !complete) return undefined;
      const first = !started;
      started = true;
      if (match === undefined) return lastCut(text, from, complete);
      if (first && match.start === from) return { token: undefined, next: match.end };
      return { token: text.slice(from, include ? match.end : match.start), next: match.end };
    },
  };
}

/** The text between a start and the next end; everything outside is skipped. */
export function pairTokenizer(start: string, end: string, include: boolean): Tokenizer {
  return {
    cut(text, from, complete) {
      const opening = text.indexOf(start, from);
      if (opening < 0) {
        const next = complete ? text.length : Math.max(from, text.length - start.length + 1);
        return next > from ? { token: undefined, next } : undefined;
      }
      const inner = opening + start.length;
      const closing = text.indexOf(end, inner);
      if (closing < 0) return opening > from ? { token: undefined, next: opening } : undefined;
      return { token: include ? text.slice(opening, closing + end.length) : text.slice(inner, closing), next: closing + end.length };
    },
  };
}

function lastCut(text: string, from: number, complete: boolean): Cut | undefined {
  return complete && from < text.length ? { token: text.slice(from), next: text.length } : undefined;
}
