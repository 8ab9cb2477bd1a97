// An edit of a document as a replacement of one range of text, verified by reading the result.
import type { Tree } from "../flow/tree.ts";
import { rereadTree } from "../read/reread-tree.ts";

/** Replaces the characters from `start` to `end` with `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Edited {
  readonly ok: true;
  readonly source: string;
  readonly splice: Splice;
  /** Applied to `source`, restores the previous text. */
  readonly inverse: Splice;
}

export type Edit = Edited | { readonly ok: false; readonly reason: string };

/** A document as data without positions: mappings are lists of key and value, so the order of keys matters. */
export type Plain = string | null | readonly Plain[] | { readonly entries: readonly (readonly [string, Plain])[] };

export function applySplice(source: string, { start, end, text }: Splice): string {
  return source.slice(0, start) + text + source.slice(end);
}

export function rejectEdit(reason: string): Edit {
  return { ok: false, reason };
}

export const unreadableDocument = rejectEdit("the document cannot be read: fix its syntax first");
export const notEditable = rejectEdit("this location cannot be edited: it does not exist, or it is an alias");

export const insert = (offset: number, text: string): Splice => ({ start: offset, end: offset, text });

export function plainOf(tree: Tree): Plain {
  if (tree.type === "scalar") return tree.text;
  return tree.type === "list" ? tree.items.map(plainOf) : { entries: tree.entries.map((entry) => [entry.key, plainOf(entry.value)] as const) };
}

/** The first of several candidate edits that reads back as expected. */
export function firstValidEdit(source: string, candidates: Iterable<Splice>, expected: Plain): Edit {
  const expectedJson = JSON.stringify(expected);
  for (const candidate of candidates) {
    const edited = applySplice(source, candidate);
    const { tree } = rereadTree(edited);
    if (tree === undefined || JSON.stringify(plainOf(tree)) !== expectedJson) continue;
    const splice = shrink(source, candidate);
    const inverse = { start: splice.start, end: splice.start + splice.text.length, text: source.slice(splice.start, splice.end) };
    return { ok: true, source: edited, splice, inverse };
  }
  return rejectEdit("this part cannot be edited here: edit the YAML text");
}

/** Several edits in succession as one edit: `after` is the text that they produced from `before`. */
export function combinedEdit(before: string, after: string): Edit {
  const { tree } = rereadTree(after);
  return tree === undefined ? unreadableDocument : firstValidEdit(before, [{ start: 0, end: before.length, text: after }], plainOf(tree));
}

/** The splice without unchanged text at its ends. */
function shrink(source: string, { start, end, text }: Splice): Splice {
  let head = 0;
  while (head < text.length && start + head < end && text[head] === source[start + head]) head++;
  let tail = 0;
  while (tail < text.length - head && end - tail > start + head && text[text.length - 1 - tail] === source[end - 1 - tail]) tail++;
  return { start: start + head, end: end - tail, text: text.slice(head, text.length - tail) };
}

export const entriesOf = (value: Plain): readonly (readonly [string, Plain])[] =>
  value !== null && typeof value === "object" && "entries" in value ? (value.entries as readonly (readonly [string, Plain])[]) : [];
