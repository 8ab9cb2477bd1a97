/** The lines that go (`- …`) and come (`+ …`) from one text to another, with a line of context around them. */
export function lineDiff(before: string, after: string): readonly string[] {
  const left = before.split("\n");
  const right = after.split("\n");
  let begin = 0;
  while (begin < left.length && begin < right.length && left[begin] === right[begin]) begin++;
  let end = 0;
  while (end < left.length - begin && end < right.length - begin && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  const context = begin > 0 ? [`  ${left[begin - 1]}`] : [];
  return [...context, ...middle(left.slice(begin, left.length - end), right.slice(begin, right.length - end))];
}

/** Texts longer than this are shown as all out, all in: the table would not fit. */
const mostCells = 4_000_000;

function middle(left: readonly string[], right: readonly string[]): readonly string[] {
  if (left.length * right.length > mostCells) return [...left.map((line) => `- ${line}`), ...right.map((line) => `+ ${line}`)];
  // The length of the longest common subsequence from each pair of places on.
  const table = Array.from({ length: left.length + 1 }, () => new Uint32Array(right.length + 1));
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const below = table[row + 1] as Uint32Array;
      const here = table[row] as Uint32Array;
      here[column] = left[row] === right[column] ? (below[column + 1] as number) + 1 : Math.max(below[column] as number, here[column + 1] as number);
    }
  }
  const lines: string[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push(`  ${left[row++]}`);
      column++;
    } else if (
      column >= right.length ||
      (row < left.length && ((table[row + 1] as Uint32Array)[column] as number) >= ((table[row] as Uint32Array)[column + 1] as number))
    )
      lines.push(`- ${left[row++]}`);
    else lines.push(`+ ${right[column++]}`);
  }
  return lines;
}
