// Edits of a flow's text that preserve everything else: comments, spacing, quoting, order. An edit whose result would not read back as intended
// is rejected, so that no edit can damage a document.
import type { ListTree, MapEntry, MapTree, Tree } from "../flow/tree.ts";
import { readTree } from "../read/read-tree.ts";
import { combinedEdit, entriesOf, firstValidEdit, insert, notEditable, plainOf, rejectEdit, unreadableDocument } from "./edit.ts";
import type { Edit, Plain, Splice } from "./edit.ts";
import { dedentRest, indentRest, Layout } from "./layout.ts";
import type { Path } from "./layout.ts";
import { replaceAt } from "./replace-at.ts";
import { scalarTexts } from "./scalar-text.ts";

/** Replaces the text of the scalar at `path`, keeping its quoting style where possible. */
export function setScalar(source: string, path: Path, text: string): Edit {
  const layout = Layout.read(source);
  const tree = layout?.find(path);
  if (layout === undefined) return unreadableDocument;
  if (tree?.type !== "scalar") return tree === undefined ? notEditable : rejectEdit("this is not a single value");
  const { start, end } = tree.span;
  const written = source.slice(start, end);
  const empty = written === "" ? emptyValueOffset(layout, path, start) : undefined;
  const trailing = /\r?\n$/.exec(written)?.[0] ?? "";
  const indent = " ".repeat(layout.column(layout.lineStart(start) + indentOf(source, layout.lineStart(start))));
  const candidates = scalarTexts(text, written, indent, layout.lineEnd);
  const expected = replaceAt(plainOf(layout.root), path, () => text);
  return firstValidEdit(
    source,
    splices(candidates, (candidate) => (empty === undefined ? { start, end, text: candidate + trailing } : insert(empty, ` ${candidate}`))),
    expected,
  );
}

/** Sets the option `key` of the mapping at `path`: replaces its value, or adds it as the last option. */
export function setOption(source: string, path: Path, key: string, text: string): Edit {
  const layout = Layout.read(source);
  const map = layout?.find(path);
  if (layout === undefined) return unreadableDocument;
  if (map?.type !== "map") return map === undefined ? notEditable : rejectEdit("this element has no options");
  const entry = map.entries.find((candidate) => candidate.key === key);
  if (entry?.value.type === "scalar") return setScalar(source, [...path, key], text);
  if (entry !== undefined) return rejectEdit(`'${key}' is not a single value`);
  const expected = replaceAt(plainOf(layout.root), path, (old) => ({ entries: [...entriesOf(old), [key, text]] }));
  return firstValidEdit(source, entrySplices(layout, map, key, text), expected);
}

/** Removes the option `key` from the mapping at `path`. */
export function removeOption(source: string, path: Path, key: string): Edit {
  const layout = Layout.read(source);
  const map = layout?.find(path);
  if (layout === undefined) return unreadableDocument;
  const index = map?.type === "map" ? map.entries.findIndex((candidate) => candidate.key === key) : -1;
  if (map?.type !== "map" || index === -1) return notEditable;
  const expected = replaceAt(plainOf(layout.root), path, (old) => ({ entries: entriesOf(old).filter(([name]) => name !== key) }));
  return firstValidEdit(source, removalSplices(layout, map, index), expected);
}

/** Inserts an item, written as YAML, into the list at `path` at this index. */
export function insertItem(source: string, path: Path, index: number, yaml: string): Edit {
  const layout = Layout.read(source);
  const list = layout?.find(path);
  const item = readTree(yaml).tree;
  if (layout === undefined) return unreadableDocument;
  if (item === undefined) return rejectEdit("the new item is not valid YAML");
  const empty = list?.type === "scalar" && list.text === null;
  if (list === undefined || (list.type !== "list" && !empty)) return list === undefined ? notEditable : rejectEdit("this is not a list");
  const items = list.type === "list" ? list.items : [];
  if (!Number.isInteger(index) || index < 0 || index > items.length)
    return rejectEdit(`the index ${index} is out of range: the list has ${items.length} items`);
  const expected = replaceAt(plainOf(layout.root), path, (old) => (Array.isArray(old) ? old : []).toSpliced(index, 0, plainOf(item)));
  return firstValidEdit(source, itemSplices(layout, list, path, index, yaml.trimEnd()), expected);
}

/** Removes an item from the list at `path`. */
export function removeItem(source: string, path: Path, index: number): Edit {
  const layout = Layout.read(source);
  const list = layout?.find(path);
  if (layout === undefined) return unreadableDocument;
  if (list?.type !== "list" || list.items[index] === undefined) return notEditable;
  const expected = replaceAt(plainOf(layout.root), path, (old) => (old as readonly Plain[]).toSpliced(index, 1));
  return firstValidEdit(source, itemRemovals(layout, list, index), expected);
}

/** The YAML of an item without indentation, including comments inside it. */
export function itemText(source: string, path: Path, index: number): string | undefined {
  const layout = Layout.read(source);
  const item = layout?.find([...path, index]);
  if (layout === undefined || item === undefined) return undefined;
  const end = layout.contentEnd(item);
  // A comment on the item's last line belongs to it.
  const comment = layout.dash(item) === undefined ? undefined : /^[ \t]+#[^\r\n]*/.exec(source.slice(end, layout.lineAfter(end)));
  return dedentRest(source.slice(item.span.start, end + (comment?.[0].length ?? 0)), layout.column(item.span.start)).trimEnd();
}

/** Moves an item, within its list or into another; `toIndex` counts without the moved item. */
export function moveItem(source: string, from: Path, index: number, to: Path, toIndex: number): Edit {
  const yaml = itemText(source, from, index);
  if (yaml === undefined) return notEditable;
  const ancestorIndex = from.every((step, at) => to[at] === step) ? to[from.length] : undefined;
  if (ancestorIndex === index) return rejectEdit("a step cannot be moved into itself");
  const removed = removeItem(source, from, index);
  if (!removed.ok) return removed;
  const target = typeof ancestorIndex === "number" && ancestorIndex > index ? to.toSpliced(from.length, 1, ancestorIndex - 1) : to;
  const inserted = insertItem(removed.source, target, toIndex, yaml);
  return inserted.ok ? combinedEdit(source, inserted.source) : inserted;
}

/** Replaces an item with other YAML. */
export function replaceItem(source: string, path: Path, index: number, yaml: string): Edit {
  const inserted = insertItem(source, path, index + 1, yaml);
  if (!inserted.ok) return inserted;
  const removed = removeItem(inserted.source, path, index);
  return removed.ok ? combinedEdit(source, removed.source) : removed;
}

/** Where the missing value of a key or item belongs: directly after its ':' or '-', before any comment. */
function emptyValueOffset(layout: Layout, path: Path, start: number): number {
  const parent = layout.find(path.slice(0, -1));
  const entry = parent?.type === "map" ? parent.entries.find((candidate) => candidate.key === path.at(-1)) : undefined;
  const colon = entry === undefined ? -1 : layout.source.indexOf(":", entry.keySpan.end);
  return colon === -1 ? start : colon + 1;
}

function* splices(texts: Iterable<string>, toSplice: (text: string) => Splice): Generator<Splice> {
  for (const text of texts) yield toSplice(text);
}

function indentOf(source: string, lineStart: number): number {
  return /^[ \uFEFF]*(?:- +)*/.exec(source.slice(lineStart, lineStart + 500))?.[0].length ?? 0;
}

function* entrySplices(layout: Layout, map: MapTree, key: string, text: string): Generator<Splice> {
  const last = map.entries.at(-1);
  const indent = " ".repeat(layout.column((map.entries[0]?.keySpan ?? map.span).start));
  for (const name of scalarTexts(key, "", indent, layout.lineEnd)) {
    for (const value of scalarTexts(text, "", indent, layout.lineEnd)) {
      const entry = `${name}: ${value}`;
      if (last === undefined) yield { start: map.span.start + 1, end: map.span.start + 1, text: entry };
      else if (layout.isFlowStyle(map)) yield insert(layout.entryEnd(last), `, ${entry}`);
      else yield newLine(layout, layout.lineAfter(layout.entryEnd(last)), indent + entry);
    }
  }
}

/** Inserts a line at the start of a line, or after the last one when that has no line end. */
function newLine({ source, lineEnd }: Layout, offset: number, text: string): Splice {
  const endsLine = offset === 0 || source[offset - 1] === "\n" || source[offset - 1] === "\uFEFF";
  return insert(offset, endsLine ? text + lineEnd : lineEnd + text);
}

function* removalSplices(layout: Layout, map: MapTree, index: number): Generator<Splice> {
  const entry = map.entries[index] as MapEntry;
  const start = entry.keySpan.start;
  const end = layout.entryEnd(entry);
  const next = map.entries[index + 1];
  const previous = map.entries[index - 1];
  if (next === undefined && previous === undefined) yield { start, end, text: layout.isFlowStyle(map) ? "" : "{}" };
  const lineStart = layout.lineStart(start);
  const startsLine = layout.source.slice(lineStart, start).trim() === "";
  if (!layout.isFlowStyle(map) && startsLine) yield { start: lineStart, end: layout.lineAfter(end), text: "" };
  if (next !== undefined) yield { start, end: next.keySpan.start, text: "" };
  else if (previous !== undefined) yield { start: layout.entryEnd(previous), end, text: "" };
}

function* itemSplices(layout: Layout, list: Tree, path: Path, index: number, yaml: string): Generator<Splice> {
  const items = list.type === "list" ? list.items : [];
  if (items.length === 0) return yield* firstItem(layout, list, path, yaml);
  const neighbor = (items[index - 1] ?? items[0]) as Tree;
  if (layout.isFlowStyle(list)) {
    const next = items[index];
    for (const item of flowTexts(yaml)) yield next === undefined ? insert(neighbor.span.end, `, ${item}`) : insert(next.span.start, `${item}, `);
    return;
  }
  const lines = layout.itemLines(neighbor);
  if (lines === undefined) return;
  const item = `${lines.indent}- ${indentRest(yaml, `${lines.indent}  `, layout.lineEnd)}`;
  yield newLine(layout, index === 0 ? lines.start : lines.end, item);
}

/** The first item of an empty list: on lines below the key where possible, otherwise between the brackets. */
function* firstItem(layout: Layout, list: Tree, path: Path, yaml: string): Generator<Splice> {
  const { start, end } = list.span;
  const parent = layout.find(path.slice(0, -1));
  if (parent?.type === "map" && path.length > 0 && !layout.isFlowStyle(parent)) {
    const key = (parent.entries.find((entry) => entry.key === path.at(-1)) as MapEntry).keySpan.start;
    const indent = " ".repeat(layout.column(key) + 2);
    const item = `${layout.lineEnd}${indent}- ${indentRest(yaml, `${indent}  `, layout.lineEnd)}`;
    const from = start - (/[ \t]*$/.exec(layout.source.slice(0, start))?.[0].length ?? 0);
    yield { start: from, end, text: item };
    yield { start: from, end, text: item + layout.lineEnd };
  }
  if (path.length === 0) yield { start, end, text: `- ${indentRest(yaml, "  ", layout.lineEnd)}` };
  if (list.type === "list") for (const item of flowTexts(yaml)) yield insert(start + 1, item);
}

/** An item between brackets: a mapping without braces gets them. */
function flowTexts(yaml: string): string[] {
  return readTree(yaml).tree?.type === "map" && !yaml.startsWith("{") ? [`{${yaml}}`, yaml] : [yaml];
}

function* itemRemovals(layout: Layout, list: ListTree, index: number): Generator<Splice> {
  const item = list.items[index] as Tree;
  const next = list.items[index + 1];
  const previous = list.items[index - 1];
  if (layout.isFlowStyle(list)) {
    if (next !== undefined) yield { start: item.span.start, end: next.span.start, text: "" };
    else yield { start: previous?.span.end ?? item.span.start, end: item.span.end, text: "" };
    return;
  }
  const lines = layout.itemLines(item);
  if (lines === undefined) return;
  if (next !== undefined || previous !== undefined) return yield { start: lines.start, end: lines.end, text: "" };
  const dash = layout.dash(item) as number;
  const end = Math.max(layout.contentEnd(item), dash + 1);
  const trailing = layout.source[end - 1] === "\n" ? layout.lineEnd : "";
  yield { start: dash, end, text: `[]${trailing}` };
  yield { start: dash, end, text: ` []${trailing}` };
}
