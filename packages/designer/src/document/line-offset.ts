/** The place in a text of a line and column, both counted from 1. */
export function offsetOfLine(text: string, line: number, column: number): number {
  let start = 0;
  for (let current = 1; current < line; current++) {
    const next = text.indexOf("\n", start);
    if (next === -1) return text.length;
    start = next + 1;
  }
  return Math.min(text.length, start + column - 1);
}
