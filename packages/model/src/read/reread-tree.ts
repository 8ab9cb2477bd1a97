// Incremental parsing after an edit: only the changed list item is parsed again; the positions of the other nodes are shifted. If the change could
// affect other items, the whole document is parsed.
import type { Span } from "../flow/span.ts";
import type { ListTree, Tree } from "../flow/tree.ts";
import { LineTable } from "./line-table.ts";
import { defaultLimits } from "./limits.ts";
import { readTree, type ReadResult } from "./read-tree.ts";

interface ReadDocument {
  readonly source: string;
  readonly tree: Tree;
}

let lastRead: ReadDocument | undefined;

/** Like `readTree`, but fast for a document that differs little from the last one read here. */
export function rereadTree(source: string): ReadResult {
  if (lastRead?.source === source) return { tree: lastRead.tree, diagnostics: [] };
  const incremental = lastRead === undefined ? undefined : readIncrementally(lastRead, source);
  const result = incremental === undefined ? readTree(source) : { tree: incremental, diagnostics: [] };
  if (result.tree !== undefined) lastRead = { source, tree: result.tree };
  return result;
}

interface Difference {
  readonly start: number;
  /** The end in the old text; in the new one it is `end + by`. */
  readonly end: number;
  readonly by: number;
}

/** The lines of a block list's item, with the position of its `-`. */
interface Region {
  readonly start: number;
  readonly end: number;
  readonly dash: number;
  readonly isLast: boolean;
}

function readIncrementally(old: ReadDocument, source: string): Tree | undefined {
  if (hasAnchors(old.source) || hasAnchors(source) || source.startsWith("\uFEFF") || source.length > defaultLimits.bytes / 4) return undefined;
  const difference = differenceOf(old.source, source);
  const { start, end, by } = difference;
  // Adding or removing a comment changes where the nodes before it end.
  if (old.source.slice(start, end).includes("#") || source.slice(start, end + by).includes("#")) return undefined;
  const path = pathTo(old, difference);
  for (let depth = path.length; depth > 0; depth--) {
    const location = path[depth - 1] as ItemLocation;
    const item = rereadItem(location.list.items[location.index] as Tree, old.source, source, location.region, difference.by);
    if (item === undefined) continue;
    const shifter = new TreeShifter(old.source, source, location, item, difference.by);
    const tree = shifter.shift(old.tree);
    return shifter.nodes > defaultLimits.nodes / 2 ? undefined : tree;
  }
  return undefined;
}

/** `&&` between spaces is an operator of expressions, not an anchor. */
const hasAnchors = (source: string): boolean => /(?:^|[\s,[{])[&*](?!\s|&\s)\S/.test(source);

function differenceOf(before: string, after: string): Difference {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (tail < shorter - start && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail++;
  const by = after.length - before.length;
  let end = before.length - tail;
  // A difference of whole lines can be aligned in several ways; aligned to the start of a line, it belongs to the right item.
  while (start > 0 && before[start - 1] !== "\n" && before[start - 1] === before[end - 1] && after[start - 1] === after[end + by - 1]) {
    start--;
    end--;
  }
  return { start, end, by };
}

interface ItemLocation {
  readonly list: ListTree;
  readonly index: number;
  readonly region: Region;
}

/** The block list items around the difference, the outermost first. */
function pathTo({ source, tree }: ReadDocument, { start, end }: Difference): ItemLocation[] {
  const path: ItemLocation[] = [];
  let at: Tree | undefined = tree;
  while (at !== undefined && at.type !== "scalar" && !/[[{]/.test(source[at.span.start] ?? "[")) {
    if (at.type === "map") {
      at = at.entries.findLast((entry) => entry.value.span.start <= start)?.value;
      continue;
    }
    const index = at.items.findLastIndex((item) => item.span.start < start);
    const item = at.items[index];
    const region = item === undefined ? undefined : regionOf(source, at, index);
    if (item === undefined || start <= item.span.start || end > (region?.end ?? item.span.end)) return path;
    // For an item larger than half of the text, a full read is as fast.
    if (region !== undefined && start > region.dash + 1 && region.end - region.start <= source.length / 2) path.push({ list: at, index, region });
    at = item;
  }
  return path;
}

/** The item's lines up to the next item; for the last item only when no blank line or comment follows, which could belong to either. */
function regionOf(source: string, list: ListTree, index: number): Region | undefined {
  const item = list.items[index] as Tree;
  const next = list.items[index + 1];
  const dash = dashOf(source, item);
  const nextDash = next === undefined ? undefined : dashOf(source, next);
  if (dash === undefined || (next !== undefined && nextDash === undefined)) return undefined;
  const start = lineStart(source, dash);
  if (nextDash !== undefined) return { start, end: lineStart(source, nextDash), dash, isLast: false };
  const end = lineAfter(source, item.span.end);
  return source[end - 1] === "\n" && /^(?:$| *[^\s#])/.test(source.slice(end, source.indexOf("\n", end) + 1 || undefined))
    ? { start, end, dash, isLast: true }
    : undefined;
}

function dashOf(source: string, item: Tree): number | undefined {
  let at = item.span.start - 1;
  while (source[at] === " ") at--;
  return source[at] === "-" && source.slice(lineStart(source, at), at).trim() === "" ? at : undefined;
}

const lineStart = (source: string, offset: number): number => source.lastIndexOf("\n", offset - 1) + 1;

function lineAfter(source: string, offset: number): number {
  if (offset > 0 && source[offset - 1] === "\n") return offset;
  const newline = source.indexOf("\n", offset);
  return newline === -1 ? source.length : newline + 1;
}

/** Parses the item again, with spans of the whole text; undefined unless parsing its old lines alone produces exactly the existing subtree. */
function rereadItem(item: Tree, before: string, source: string, region: Region, by: number): Tree | undefined {
  const lines = before.slice(0, region.start).split("\n").length - 1;
  const readAlone = (text: string, end: number): Tree | undefined => {
    const part = text.slice(region.start, end);
    if (!isIndentedBeyond(part, region.dash - region.start) || (end < text.length && !part.endsWith("\n"))) return undefined;
    const { tree } = readTree(part);
    return tree?.type === "list" && tree.items.length === 1 ? shiftTree(tree.items[0] as Tree, region.start, lines) : undefined;
  };
  const old = readAlone(before, region.end);
  if (old === undefined || JSON.stringify(old) !== JSON.stringify(item)) return undefined;
  const after = readAlone(source, region.end + by);
  // Where the last item ends, its ancestors end too: blank lines and comments make that position uncertain.
  const isTight = (text: string): boolean => !/#|^[ \t]*\r?$/m.test(text.trimEnd()) && !/\n\s*\n$/.test(text);
  if (region.isLast && after?.type !== old.type) return undefined;
  if (region.isLast && !(isTight(before.slice(region.start, region.end)) && isTight(source.slice(region.start, region.end + by)))) return undefined;
  return after;
}

/** True when every line except the first is indented deeper than the item's `-`. */
function isIndentedBeyond(text: string, column: number): boolean {
  return text.split("\n").every((line, index) => index === 0 || line.trim() === "" || line.search(/[^ ]/) > column);
}

const shiftSpan = ({ line, column, endLine, endColumn, start, end }: Span, by: number, lines: number): Span => ({
  line: line + lines,
  column,
  endLine: endLine + lines,
  endColumn,
  start: start + by,
  end: end + by,
});

function shiftTree(tree: Tree, by: number, lines: number): Tree {
  const span = shiftSpan(tree.span, by, lines);
  if (tree.type === "scalar") return { ...tree, span };
  if (tree.type === "list") return { ...tree, items: tree.items.map((item) => shiftTree(item, by, lines)), span };
  const entries = tree.entries.map(({ key, keySpan, value }) => ({ key, keySpan: shiftSpan(keySpan, by, lines), value: shiftTree(value, by, lines) }));
  return { ...tree, entries, span };
}

/**
 * Creates the new tree from the old one by replacing one item: nodes before it are unchanged, nodes after it are shifted, and the spans of its
 * ancestors are adjusted.
 */
class TreeShifter {
  nodes = 0;
  readonly #lines: LineTable;
  readonly #region: Region;
  readonly #by: number;
  readonly #moreLines: number;
  readonly #oldItem: Tree;
  readonly #newItem: Tree;

  constructor(before: string, source: string, { region, list, index }: ItemLocation, newItem: Tree, by: number) {
    this.#lines = new LineTable(source);
    this.#region = region;
    this.#by = by;
    this.#moreLines = countLines(source.slice(region.start, region.end + by)) - countLines(before.slice(region.start, region.end));
    this.#oldItem = list.items[index] as Tree;
    this.#newItem = newItem;
  }

  shift(tree: Tree): Tree {
    this.nodes++;
    if (tree === this.#oldItem) return this.#newItem;
    const { start, end } = tree.span;
    if (end <= this.#region.start) return tree;
    if (start >= this.#region.end) return shiftTree(tree, this.#by, this.#moreLines);
    const span = this.#lines.span(start, end === this.#oldItem.span.end ? this.#newItem.span.end : end + this.#by);
    if (tree.type === "list") return { ...tree, items: tree.items.map((item) => this.shift(item)), span };
    if (tree.type === "scalar") return { ...tree, span };
    const entries = tree.entries.map((entry) => {
      const { key, keySpan, value } = entry;
      if (value.span.end <= this.#region.start && value !== this.#oldItem) return entry;
      return { key, keySpan: keySpan.start >= this.#region.end ? shiftSpan(keySpan, this.#by, this.#moreLines) : keySpan, value: this.shift(value) };
    });
    return { ...tree, entries, span };
  }
}

const countLines = (text: string): number => text.split("\n").length;
