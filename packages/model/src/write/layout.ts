// Positions in a document's text: which lines an item or entry occupies and how it is indented.
import type { MapEntry, Tree } from "../flow/tree.ts";
import { rereadTree } from "../read/reread-tree.ts";

export type Path = readonly (string | number)[];

export class Layout {
  readonly source: string;
  readonly root: Tree;
  readonly lineEnd: string;

  private constructor(source: string, root: Tree) {
    this.source = source;
    this.root = root;
    this.lineEnd = source.includes("\r\n") ? "\r\n" : "\n";
  }

  static read(source: string): Layout | undefined {
    const { tree } = rereadTree(source);
    return tree === undefined ? undefined : new Layout(source, tree);
  }

  /** The node at a path; undefined when there is none or the path goes through an alias, whose text is elsewhere. */
  find(path: Path): Tree | undefined {
    let tree = this.root;
    for (const step of path) {
      const entry = tree.type === "map" && typeof step === "string" ? tree.entries.find((candidate) => candidate.key === step) : undefined;
      const next = entry?.value ?? (tree.type === "list" && typeof step === "number" ? tree.items[step] : undefined);
      if (next === undefined || next.span.start < (entry?.keySpan.end ?? tree.span.start) || next.span.start < tree.span.start) return undefined;
      tree = next;
    }
    return tree;
  }

  isFlowStyle(tree: Tree): boolean {
    return tree.type !== "scalar" && /[[{]/.test(this.source[tree.span.start] ?? "");
  }

  /** Where the text of a node ends, without trailing comments and blank lines. */
  contentEnd(tree: Tree): number {
    if (tree.type === "scalar" || this.isFlowStyle(tree)) return tree.span.end;
    const last = tree.type === "list" ? tree.items.at(-1) : tree.entries.at(-1)?.value;
    const key = tree.type === "map" ? (tree.entries.at(-1)?.keySpan.end ?? 0) : 0;
    if (last === undefined) return tree.span.end;
    // An alias refers to text elsewhere: here, the content ends after its name.
    return last.span.start < key ? this.aliasEnd(key) : Math.max(this.contentEnd(last), key);
  }

  /** The end of the alias that is the value of the key before `from`. */
  private aliasEnd(from: number): number {
    return from + (/^[ \t]*:[ \t]*\*[^\s,\]}]*/.exec(this.source.slice(from, this.lineAfter(from)))?.[0].length ?? 0);
  }

  /** The start of the line after `offset`, or `offset` itself when it starts a line. */
  lineAfter(offset: number): number {
    if (offset > 0 && this.source[offset - 1] === "\n") return offset;
    const newline = this.source.indexOf("\n", offset);
    return newline === -1 ? this.source.length : newline + 1;
  }

  lineStart(offset: number): number {
    return this.source.lastIndexOf("\n", offset - 1) + 1;
  }

  /** The column of an offset, counted from 0 and without a byte order mark. */
  column(offset: number): number {
    const start = this.lineStart(offset);
    return offset - start - (start === 0 && this.source.startsWith("\uFEFF") ? 1 : 0);
  }

  /** The `-` of a block list's item; undefined unless it is the first character on its line and directly before the item. */
  dash(item: Tree): number | undefined {
    let at = item.span.start - 1;
    while (this.source[at] === " ") at--;
    if (this.source[at] !== "-") return undefined;
    return this.source.slice(this.lineStart(at), at).replace("\uFEFF", "").trim() === "" ? at : undefined;
  }

  /** The lines of a block list's item, from its `-` to the start of the next line. */
  itemLines(item: Tree): { start: number; end: number; indent: string } | undefined {
    const dash = this.dash(item);
    if (dash === undefined) return undefined;
    const start = Math.max(this.lineStart(dash), this.source.startsWith("\uFEFF") ? 1 : 0);
    return { start, end: this.lineAfter(Math.max(this.contentEnd(item), dash + 1)), indent: " ".repeat(this.column(dash)) };
  }

  /** Where an entry's text ends, without a trailing comment. */
  entryEnd(entry: MapEntry): number {
    if (entry.value.span.start < entry.keySpan.end) return this.aliasEnd(entry.keySpan.end);
    const colon = this.source.indexOf(":", entry.keySpan.end);
    return Math.max(this.contentEnd(entry.value), colon === -1 ? entry.keySpan.end : colon + 1);
  }
}

/** Indents every line except the first. Empty lines stay empty. */
export function indentRest(text: string, by: string, lineEnd: string): string {
  return text
    .split(/\r?\n/)
    .map((line, index) => (index === 0 || line === "" ? line : by + line))
    .join(lineEnd);
}

/** The inverse of {@link indentRest}: removes indentation from every line except the first. */
export function dedentRest(text: string, by: number): string {
  return text
    .split(/\r?\n/)
    .map((line, index) => (index === 0 ? line : line.slice(Math.min(by, line.length - line.trimStart().length))))
    .join("\n");
}
