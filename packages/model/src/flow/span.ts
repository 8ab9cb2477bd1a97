/** A range in a document: lines and columns count from 1, the end is exclusive, offsets count characters. */
export interface Span {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly start: number;
  readonly end: number;
  /** For parts of a Kamelet: the position in its file. The span itself is where the Kamelet is used. */
  readonly within?: { readonly kamelet: string; readonly file: string; readonly line: number };
}

/** The start of a document, for errors without a specific position. */
export const documentStart: Span = { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
