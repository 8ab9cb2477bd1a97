// Parses a long JSON text piece by piece, using the layout found by its scan.
import type { LongContainer } from "./json-layout.ts";
import { setEntry } from "./member.ts";

/** Parses `text` between two positions as the members of a list or an object, wrapped in `brackets`. */
export type ParsePiece = (from: number, to: number, brackets: "[]" | "{}") => unknown;

export function* parsePieces(text: string, container: LongContainer, parse: ParsePiece): Generator<undefined, unknown> {
  const isList = text.charCodeAt(container.start) === 0x5b;
  const list: unknown[] = [];
  const object: Record<string, unknown> = {};
  const add = (from: number, to: number): void => {
    const [first, end] = withoutCommas(text, from, to);
    if (first >= end) return;
    if (isList) for (const item of parse(first, end, "[]") as unknown[]) list.push(item);
    else addMembers(object, parse(first, end, "{}") as Record<string, unknown>);
  };
  let from = container.start + 1;
  let cut = 0;
  function* upTo(position: number): Generator<undefined, void> {
    for (; cut < container.cuts.length && (container.cuts[cut] as number) < position; cut++) {
      add(from, container.cuts[cut] as number);
      from = (container.cuts[cut] as number) + 1;
      yield undefined;
    }
    add(from, position);
    yield undefined;
  }
  for (const inner of container.inner) {
    yield* upTo(isList ? inner.start : inner.keyAt);
    const value = yield* parsePieces(text, inner, parse);
    if (isList) list.push(value);
    else setEntry(object, memberName(text, inner.keyAt), value);
    from = inner.end + 1;
  }
  yield* upTo(container.end);
  return isList ? list : object;
}

/** Like JSON.parse: the last of duplicate names wins, and `__proto__` is an ordinary name. */
function addMembers(object: Record<string, unknown>, members: Record<string, unknown>): void {
  for (const name of Object.keys(members)) {
    if (name === "__proto__") setEntry(object, name, members[name]);
    else object[name] = members[name];
  }
}

/** Trims whitespace and commas at both ends. */
function withoutCommas(text: string, from: number, to: number): readonly [number, number] {
  let [first, end] = [from, to];
  while (first < end && isBlankOrComma(text.charCodeAt(first))) first++;
  while (end > first && isBlankOrComma(text.charCodeAt(end - 1))) end--;
  return [first, end];
}

const isBlankOrComma = (unit: number): boolean => unit === 0x2c || unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

function memberName(text: string, quoteAt: number): string {
  for (let at = quoteAt + 1; ; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return JSON.parse(text.slice(quoteAt, at + 1)) as string;
    if (unit === 0x5c) at++;
  }
}
