// The YAML document as plain data with positions, so that other code does not depend on the YAML library. Aliases are resolved; documents
// with tags or duplicate keys are rejected.
import type { Span } from "./span.ts";

/** A scalar keeps its source text: `007`, `yes` and `1e3` mean what the author typed, without YAML's type conversion. */
export interface ScalarTree {
  readonly type: "scalar";
  /** The text as typed (unquoted, unescaped); null only for a missing value and for an unquoted `null` or `~`. */
  readonly text: string | null;
  /** True when the author quoted it or used a block scalar. */
  readonly quoted: boolean;
  readonly span: Span;
}

export interface MapTree {
  readonly type: "map";
  readonly entries: readonly MapEntry[];
  readonly span: Span;
}

export interface MapEntry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Tree;
}

export interface ListTree {
  readonly type: "list";
  readonly items: readonly Tree[];
  readonly span: Span;
}

export type Tree = ScalarTree | MapTree | ListTree;
