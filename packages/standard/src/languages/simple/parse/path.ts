// The path after `body`, `header.x` and similar: `.name`, `?.name`, `.method(args)`, `[key]`, `[last-1]`.
import { CompileError } from "@sluice/engine/spi";
import { endOfFunction, isQuote, openingAt, syntaxError } from "./scan.ts";

/** One step of a path with the indexes after it; indexes at the start have no name. */
export interface PathSegment {
  readonly name: string | undefined;
  readonly nullSafe: boolean;
  /** The text between a method's parentheses; undefined when it has none. */
  readonly arguments: PathText | undefined;
  readonly indexes: readonly PathText[];
  readonly offset: number;
}
export interface PathText {
  readonly text: string;
  readonly offset: number;
}

/** Parses a complete path; throws a CompileError when it is invalid. */
export function parsePath(text: string, offset: number): readonly PathSegment[] {
  const segments: PathSegment[] = [];
  for (let at = 0; at < text.length;) {
    const start = at;
    const dot = /^\??\./.exec(text.slice(at, at + 2))?.[0] ?? "";
    at += dot.length;
    if (dot === "" && text[at] !== "[") throw syntaxError(`'${text.slice(start, start + 20)}' is not a valid path: use .name or [key]`, offset + start);
    const name = dot === "" ? undefined : readName(text, at, offset);
    if (name === "") throw syntaxError("a name is missing after the dot", offset + at);
    at += name?.length ?? 0;
    const parameters = text[at] === "(" ? readUntil(text, at, ")", offset) : undefined;
    if (parameters !== undefined) at = parameters.end;
    const indexes: PathText[] = [];
    while (text[at] === "[") {
      const index = readUntil(text, at, "]", offset);
      if (index.text.trim() === "") throw syntaxError("the brackets are empty: write [key] or [0]", offset + at);
      indexes.push(index);
      at = index.end;
    }
    segments.push({ name, nullSafe: dot === "?.", arguments: parameters, indexes, offset: offset + start });
  }
  return segments;
}

function readName(text: string, from: number, offset: number): string {
  let at = from;
  while (at < text.length && !".[(?])".includes(text[at] as string)) at = openingAt(text, at) > 0 ? endOfFunction(text, at, offset) : at + 1;
  const name = text.slice(from, at);
  if (/[\s"']/.test(name) && openingAt(name, 0) === 0) throw syntaxError(`'${name.slice(0, 30)}' is not a valid name in a path`, offset + from);
  return name;
}

function readUntil(text: string, open: number, close: "]" | ")", offset: number): PathText & { readonly end: number } {
  let quote: string | undefined;
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const char = text[at] as string;
    if (openingAt(text, at) > 0) at = endOfFunction(text, at, offset) - 1;
    else if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (isQuote(char)) quote = char;
    else if (char === text[open]) depth++;
    else if (char === close && --depth === 0) return { text: text.slice(open + 1, at), offset: offset + open + 1, end: at + 1 };
  }
  throw new CompileError("simple-syntax", `'${text[open]}' is not closed: a '${close}' is missing`, { offset: offset + open });
}
