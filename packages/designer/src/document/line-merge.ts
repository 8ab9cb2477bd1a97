// Merges two changed versions of the same text, line by line. Changes that do not touch are both applied.
import { diffLines } from "@sluice/model";

/** Lines that are the same on both sides, or that only one side changed. */
interface MergedLines {
  readonly kind: "merged";
  readonly lines: readonly string[];
}

/** Lines that both sides changed in different ways. */
export interface Conflict {
  readonly kind: "conflict";
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

export type MergePart = MergedLines | Conflict;

/** A replacement of the lines `from` to `to` (exclusive) of the common version. */
interface Change {
  readonly from: number;
  to: number;
  readonly lines: string[];
}

export function mergeLines(base: string, mine: string, theirs: string): readonly MergePart[] {
  const lines = base.split("\n");
  const own = changesOf(base, mine);
  const other = changesOf(base, theirs);
  const parts: MergePart[] = [];
  const addMerged = (mergedLines: readonly string[]): void => {
    if (mergedLines.length > 0) parts.push({ kind: "merged", lines: mergedLines });
  };
  let at = 0;
  while (own.length > 0 || other.length > 0) {
    const from = Math.min(own[0]?.from ?? Infinity, other[0]?.from ?? Infinity);
    addMerged(lines.slice(at, from));
    let to = from;
    const ours: Change[] = [];
    const others: Change[] = [];
    // Changes that overlap or touch belong together.
    for (let grows = true; grows;) {
      grows = false;
      for (const [list, group] of [
        [own, ours],
        [other, others],
      ] as const) {
        const next = list[0];
        if (next === undefined || next.from > to) continue;
        group.push(next);
        list.shift();
        to = Math.max(to, next.to);
        grows = true;
      }
    }
    const ownLines = applyChanges(lines, from, to, ours);
    const otherLines = applyChanges(lines, from, to, others);
    if (others.length === 0 || ownLines.join("\n") === otherLines.join("\n")) addMerged(ownLines);
    else if (ours.length === 0) addMerged(otherLines);
    else parts.push({ kind: "conflict", mine: ownLines, theirs: otherLines });
    at = to;
  }
  addMerged(lines.slice(at));
  return parts;
}

/** The merged text with one side chosen for each conflict, in order. */
export function mergedText(parts: readonly MergePart[], choices: readonly ("mine" | "theirs" | undefined)[]): string {
  let conflict = 0;
  return parts.flatMap((part) => (part.kind === "merged" ? part.lines : choices[conflict++] === "theirs" ? part.theirs : part.mine)).join("\n");
}

function changesOf(base: string, text: string): Change[] {
  const changes: Change[] = [];
  let at = 0;
  let open: Change | undefined;
  for (const line of diffLines(base, text)) {
    if (line.kind === "same") {
      at++;
      open = undefined;
      continue;
    }
    if (open === undefined) changes.push((open = { from: at, to: at, lines: [] }));
    if (line.kind === "removed") open.to = ++at;
    else open.lines.push(line.text);
  }
  return changes;
}

function applyChanges(lines: readonly string[], from: number, to: number, changes: readonly Change[]): readonly string[] {
  const result: string[] = [];
  let at = from;
  for (const change of changes) {
    result.push(...lines.slice(at, change.from), ...change.lines);
    at = change.to;
  }
  return [...result, ...lines.slice(at, to)];
}
