// The parsed form of a JSONPath. Strings may contain `${…}` parts: those are evaluated at run time and stay data, so a message cannot change the
// structure of a path.

export interface Text {
  /** Literal parts, and numbers for the n-th `${…}` of the expression. */
  readonly parts: readonly (string | number)[];
}

export type Segment =
  | { readonly kind: "names"; readonly names: readonly Text[] }
  | { readonly kind: "indexes"; readonly indexes: readonly number[] }
  | { readonly kind: "placeholder"; readonly text: Text }
  | { readonly kind: "slice"; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: "wildcard" }
  | { readonly kind: "descend" }
  | { readonly kind: "from-end"; readonly offset: number }
  | { readonly kind: "filter"; readonly condition: Condition }
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Operand[] };

export interface Path {
  readonly root: "$" | "@";
  readonly segments: readonly Segment[];
}

export type Operand =
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "text"; readonly text: Text; readonly quoted: boolean }
  | { readonly kind: "list"; readonly items: readonly Operand[] }
  | { readonly kind: "pattern"; readonly source: string; readonly flags: string };

export type Condition =
  | { readonly kind: "either"; readonly first: Condition; readonly second: Condition }
  | { readonly kind: "both"; readonly first: Condition; readonly second: Condition }
  | { readonly kind: "not"; readonly of: Condition }
  | { readonly kind: "exists"; readonly operand: Operand }
  | { readonly kind: "compare"; readonly operator: string; readonly left: Operand; readonly right: Operand };

/** True when the path can match at most one node, so that its result is a value instead of a list. */
export function isDefinite(segments: readonly Segment[]): boolean {
  let definite = true;
  segments.forEach((segment, index) => {
    if (segment.kind === "call") definite = true;
    else if (!isDefiniteSegment(segment, index === segments.length - 1)) definite = false;
  });
  return definite;
}

/** Several names at the end select a smaller object, which is one value; in the middle they branch. */
export function isDefiniteSegment(segment: Segment, last: boolean): boolean {
  if (segment.kind === "names") return segment.names.length === 1 || last;
  if (segment.kind === "indexes") return segment.indexes.length === 1;
  return segment.kind === "placeholder" || segment.kind === "from-end" || segment.kind === "call";
}
