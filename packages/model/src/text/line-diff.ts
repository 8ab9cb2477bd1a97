// A line diff. Common lines at both ends are removed first; the middle is compared exactly up to a limit. A larger rewrite is shown as one
// replaced block.

export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

const maxCells = 4_000_000;

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const left = before.split("\n");
  const right = after.split("\n");
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < left.length - head && tail < right.length - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const lines: DiffLine[] = [];
  for (let at = 0; at < head; at++) lines.push({ kind: "same", text: left[at] as string, before: at + 1, after: at + 1 });
  // `push(...lines)` would put hundreds of thousands of arguments on the stack and overflow it.
  for (const line of diffMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail), head)) lines.push(line);
  for (let at = tail; at > 0; at--)
    lines.push({ kind: "same", text: left[left.length - at] as string, before: left.length - at + 1, after: right.length - at + 1 });
  return lines;
}

function diffMiddle(left: readonly string[], right: readonly string[], offset: number): DiffLine[] {
  const removed = (at: number): DiffLine => ({ kind: "removed", text: left[at] as string, before: offset + at + 1, after: undefined });
  const added = (at: number): DiffLine => ({ kind: "added", text: right[at] as string, before: undefined, after: offset + at + 1 });
  if (left.length * right.length > maxCells) return [...left.keys()].map(removed).concat([...right.keys()].map(added));
  const lengths = commonSubsequenceLengths(left, right);
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  const width = right.length + 1;
  while (row < left.length || column < right.length) {
    if (row < left.length && column < right.length && left[row] === right[column]) {
      lines.push({ kind: "same", text: left[row] as string, before: offset + row + 1, after: offset + column + 1 });
      row++;
      column++;
    } else if (
      column >= right.length ||
      (row < left.length && (lengths[(row + 1) * width + column] as number) >= (lengths[row * width + column + 1] as number))
    )
      lines.push(removed(row++));
    else lines.push(added(column++));
  }
  return lines;
}

/** For each pair of positions, the length of the longest common subsequence of the lines from there on. */
function commonSubsequenceLengths(left: readonly string[], right: readonly string[]): Uint32Array {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const at = row * width + column;
      lengths[at] = left[row] === right[column] ? (lengths[at + width + 1] as number) + 1 : Math.max(lengths[at + width] as number, lengths[at + 1] as number);
    }
  }
  return lengths;
}
