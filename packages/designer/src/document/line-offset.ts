/** The text offset of a one-based line and column. */
export function offsetOfLine(text: string, line: number, column: number): number {
  let start = 0;
  for (let current = 1; current < line; current++) {
    const next = text.indexOf("\n", start);
    if (next === -1) return text.length;
    start = next + 1;
  }
  return Math.min(text.length, start + column - 1);
}
