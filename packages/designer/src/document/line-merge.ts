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
  const myChanges = changesOf(base, mine);
  const theirChanges = changesOf(base, theirs);
  const parts: MergePart[] = [];
  const addMerged = (mergedLines: readonly string[]): void => {
    if (mergedLines.length > 0) parts.push({ kind: "merged", lines: mergedLines });
  };
  let at = 0;
  while (myChanges.length > 0 || theirChanges.length > 0) {
    const from = Math.min(myChanges[0]?.from ?? Infinity, theirChanges[0]?.from ?? Infinity);
    addMerged(lines.slice(at, from));
    let to = from;
    const myGroup: Change[] = [];
    const theirGroup: Change[] = [];
    // Changes that overlap or touch belong together.
    for (let hasGrown = true; hasGrown;) {
      hasGrown = false;
      for (const [list, group] of [
        [myChanges, myGroup],
        [theirChanges, theirGroup],
      ] as const) {
        const next = list[0];
        if (next === undefined || next.from > to) continue;
        group.push(next);
        list.shift();
        to = Math.max(to, next.to);
        hasGrown = true;
      }
    }
    const myLines = applyChanges(lines, from, to, myGroup);
    const theirLines = applyChanges(lines, from, to, theirGroup);
    if (theirGroup.length === 0 || myLines.join("\n") === theirLines.join("\n")) addMerged(myLines);
    else if (myGroup.length === 0) addMerged(theirLines);
    else parts.push({ kind: "conflict", mine: myLines, theirs: theirLines });
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
  let current: Change | undefined;
  for (const line of diffLines(base, text)) {
    if (line.kind === "same") {
      at++;
      current = undefined;
      continue;
    }
    if (current === undefined) changes.push((current = { from: at, to: at, lines: [] }));
    if (line.kind === "removed") current.to = ++at;
    else current.lines.push(line.text);
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
