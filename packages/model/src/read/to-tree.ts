// Converts the YAML library's nodes to our own tree. Aliases share the subtree of their anchor; the expanded size is counted, so that a small
// text cannot become a large tree.
import { isAlias, isMap, isPair, isScalar, isSeq } from "yaml";
import type { Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import type { MapEntry, Tree } from "../flow/tree.ts";
import type { LineTable } from "./line-table.ts";
import type { ReadLimits } from "./limits.ts";

export type ReportFault = (code: string, message: string, start: number, end: number, hint?: string) => void;

/** A subtree and its size with aliases expanded. */
interface Part {
  readonly tree: Tree;
  readonly size: number;
  readonly height: number;
}

const plainNulls: ReadonlySet<string> = new Set(["", "null", "~"]);

export class TreeBuilder {
  readonly #source: string;
  readonly #lines: LineTable;
  readonly #limits: ReadLimits;
  readonly #report: ReportFault;
  /** Complete anchors; one that is still being built is not included, so it cannot contain itself. */
  readonly #anchors = new Map<string, Part>();

  constructor(source: string, lines: LineTable, limits: ReadLimits, report: ReportFault) {
    this.#source = source;
    this.#lines = lines;
    this.#limits = limits;
    this.#report = report;
  }

  build(node: unknown): Tree {
    return this.#part(node, 0).tree;
  }

  #part(node: unknown, fallback: number): Part {
    if (isAlias(node)) return this.#alias(node.source, node.range?.[0] ?? fallback);
    const part = isMap(node) ? this.#map(node) : isSeq(node) ? this.#list(node) : isScalar(node) ? this.#scalar(node) : this.#emptyScalar(fallback);
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, part);
    return part;
  }

  #alias(name: string, start: number): Part {
    const part = this.#anchors.get(name);
    if (part !== undefined) return part;
    this.#report("yaml-alias", `the alias '*${name}' has no anchor '&${name}' that ends before it`, start, start + name.length + 1, `define &${name} above`);
    return this.#emptyScalar(start);
  }

  #scalar(node: Scalar): Part {
    const [start, end] = node.range ?? [0, 0];
    const quoted = node.type !== "PLAIN" && node.type !== undefined;
    const text = typeof node.value === "string" ? node.value : (node.source ?? "");
    const isNull = !quoted && plainNulls.has(this.#source.slice(start, end));
    return { tree: { type: "scalar", text: isNull ? null : text, quoted, span: this.#lines.span(start, end) }, size: 1, height: 1 };
  }

  #emptyScalar(at: number): Part {
    return { tree: { type: "scalar", text: null, quoted: false, span: this.#lines.span(at, at) }, size: 1, height: 1 };
  }

  #list(node: YAMLSeq): Part {
    const [start, end] = node.range ?? [0, 0];
    const items: Tree[] = [];
    let size = 1;
    let height = 0;
    for (const item of node.items) {
      const part = isPair(item) ? this.#map({ items: [item], range: node.range } as unknown as YAMLMap) : this.#part(item, start);
      size += part.size;
      height = Math.max(height, part.height);
      items.push(part.tree);
    }
    return this.#withinLimits({ tree: { type: "list", items, span: this.#lines.span(start, end) }, size, height: height + 1 });
  }

  #map(node: YAMLMap): Part {
    const [start, end] = node.range ?? [0, 0];
    const entries: MapEntry[] = [];
    const seen = new Set<string>();
    let size = 1;
    let height = 0;
    for (const pair of node.items) {
      const key = this.#key(pair, start);
      const part = this.#part(pair.value, key?.end ?? start);
      size += part.size + 1;
      height = Math.max(height, part.height);
      if (key === undefined) continue;
      if (seen.has(key.text)) this.#report("yaml-duplicate-key", `duplicate key '${key.text}' in one mapping`, key.start, key.end, "remove one of the entries");
      seen.add(key.text);
      entries.push({ key: key.text, keySpan: this.#lines.span(key.start, key.end), value: part.tree });
    }
    return this.#withinLimits({ tree: { type: "map", entries, span: this.#lines.span(start, end) }, size, height: height + 1 });
  }

  #key(pair: Pair, fallback: number): { text: string; start: number; end: number } | undefined {
    const key = pair.key;
    if (!isScalar(key)) {
      const start = (isMap(key) || isSeq(key) || isAlias(key) ? key.range?.[0] : undefined) ?? fallback;
      const placeholder = isMap(key) && this.#source.startsWith("{{", start - 1);
      this.#report("yaml-key", "a key must be plain text", start, start + 1, placeholder ? "quote a value that starts with '{{'" : undefined);
      return undefined;
    }
    const [start, end] = key.range ?? [fallback, fallback];
    const keyText = this.#source.slice(start, end);
    if (key.type === "PLAIN" && plainNulls.has(keyText)) {
      this.#report("yaml-key", "a key is missing before ':'", start, end);
      return undefined;
    }
    if (key.type === "PLAIN" && keyText === "<<") {
      this.#report("yaml-merge-key", "the merge key '<<' is not supported", start, end, "write out the keys");
      return undefined;
    }
    if (key.anchor !== undefined) this.#anchors.set(key.anchor, this.#scalar(key));
    return { text: typeof key.value === "string" ? key.value : keyText, start, end };
  }

  #withinLimits(part: Part): Part {
    const { nodes, depth } = this.#limits;
    if (part.size <= nodes && part.height <= depth + 1) return part;
    const { start, end } = part.tree.span;
    this.#report(
      "yaml-limit",
      part.size > nodes ? `limit exceeded: aliases expand to more than ${nodes} values` : `limit exceeded: nested deeper than ${depth} levels`,
      start,
      end,
    );
    return this.#emptyScalar(start);
  }
}
