// The exact position of an error found after binding, when only its step or expression is known. The tree is searched again, instead of storing
// a position for every option of every valid flow.
import type { Span } from "../flow/span.ts";
import type { MapEntry, MapTree, Tree } from "../flow/tree.ts";

/** The subject of an error: the option is searched first, then the value. */
export interface ErrorSubject {
  /** The name of an option, possibly nested. */
  readonly option?: string | undefined;
  /** The text of an option as written. */
  readonly value?: string | undefined;
  /** An offset in the value, or in the text the error belongs to, counted from 0. */
  readonly offset?: number | undefined;
}

/** The position of the part that the error is about; `owner` when the document does not contain it. */
export function errorSpan(tree: Tree | undefined, source: string, owner: Span, subject: ErrorSubject): Span {
  const owners = tree === undefined ? [] : ownersAt(tree, owner.start);
  for (const part of owners) {
    const found = find(part, subject);
    if (found === undefined) continue;
    return subject.offset === undefined || subject.value === undefined ? found : spanInText(source, found, subject.value, subject.offset);
  }
  return owner;
}

/** The position of a character in a scalar's text; the scalar itself when escapes or folded lines hide it. */
export function spanInText(source: string, span: Span, text: string, offset: number): Span {
  const writtenText = source.slice(span.start, span.end);
  const quote = /^["']/.test(writtenText) ? 1 : 0;
  if (offset > text.length) return span;
  if (writtenText.slice(quote, writtenText.length - quote) === text && span.line === span.endLine) {
    // There may be nothing visible after the last character.
    const at = quote + Math.min(offset, Math.max(text.length - 1, 0));
    return { ...span, column: span.column + at, start: span.start + at };
  }
  return writtenText.startsWith("|") ? spanInBlock(source, span, text, offset) : span;
}

function spanInBlock(source: string, span: Span, text: string, offset: number): Span {
  const lines = source.slice(span.start, span.end).split("\n");
  const indent = /^ */.exec(lines[1] ?? "")?.[0].length ?? 0;
  const content = lines.slice(1).map((line) => line.slice(indent));
  if (!content.join("\n").startsWith(text.trimEnd())) return span;
  const linesBefore = text.slice(0, offset).split("\n");
  const line = linesBefore.length;
  const column = (linesBefore.at(-1) as string).length;
  const start = span.start + lines.slice(0, line).join("\n").length + 1 + indent + column;
  return { ...span, line: span.line + line, column: indent + column + 1, start, endLine: span.line + line, endColumn: indent + column + 2, end: start + 1 };
}

/** Candidates for the node at a position where a key, a mapping or a string begins, the nearest first. */
function ownersAt(tree: Tree, start: number): readonly Tree[] {
  const found: Tree[] = [];
  const visit = (part: Tree): void => {
    if (part.type === "scalar" && part.span.start === start) found.unshift(part);
    if (part.type === "list") part.items.forEach(visit);
    if (part.type !== "map") return;
    if (part.span.start === start || part.entries.some(({ keySpan }) => keySpan.start === start)) found.unshift(part);
    for (const { key, keySpan, value } of part.entries) {
      if (keySpan.start === start) found.unshift(value);
      // The position of an endpoint is that of its URI.
      const parameters = key === "uri" && value.span.start === start ? part.entries.find((entry) => entry.key === "parameters") : undefined;
      if (parameters !== undefined) found.unshift(parameters.value);
      visit(value);
    }
  };
  visit(tree);
  return found;
}

function find(tree: Tree, { option, value }: ErrorSubject): Span | undefined {
  if (option !== undefined) {
    const entry = entryOf(tree, option);
    if (entry !== undefined) return entry.keySpan;
  }
  return value === undefined ? undefined : scalarOf(tree, value);
}

function entryOf(tree: Tree, name: string): MapEntry | undefined {
  if (tree.type !== "map") return undefined;
  return tree.entries.find(({ key }) => key === name) ?? firstResult(nestedOptions(tree), (part) => entryOf(part, name));
}

function scalarOf(tree: Tree, text: string): Span | undefined {
  // A reference may be written with Camel's prefix.
  if (tree.type === "scalar") return tree.text === text || tree.text === `#${text}` || tree.text === `#bean:${text}` ? tree.span : undefined;
  return firstResult(tree.type === "list" ? tree.items : tree.entries.map((entry) => entry.value), (part) => scalarOf(part, text));
}

/** Nested steps have separate options. */
const nestedOptions = (map: MapTree): readonly Tree[] => map.entries.filter(({ key }) => key !== "steps").map(({ value }) => value);

function firstResult<T, R>(items: readonly T[], select: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = select(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
