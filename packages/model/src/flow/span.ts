/** Where something stands in a document: lines and columns count from 1, the end is exclusive, offsets count characters. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly start: number;
  readonly end: number;
}

/** The span of a document's very beginning, for faults that belong to no place in particular. */
export const documentStart: Span = { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
