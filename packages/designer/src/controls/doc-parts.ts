export interface DocPart {
  /** Where the part begins in the text. */
  readonly at: number;
  readonly isCode: boolean;
  readonly part: string;
}

/** The parts of a description; text between backticks is code. */
export function docParts(text: string): readonly DocPart[] {
  return [...text.matchAll(/`([^`]+)`|[^`]+|`/g)].map(({ index, 0: part, 1: code }) => ({ at: index, isCode: code !== undefined, part: code ?? part }));
}
