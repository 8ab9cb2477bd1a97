const lineFeed = 0x0a;

/**
 * Human-readable position of an offset: "line 3, column 7". Compares characters one by one, because `indexOf` and `split` need a call or a
 * string per line.
 */
export function textPosition(text: string, offset: number): string {
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < offset; at++) {
    if (text.charCodeAt(at) !== lineFeed) continue;
    line++;
    lineStart = at + 1;
  }
  return `line ${line}, column ${offset - lineStart + 1}`;
}
