import { diffLines, type DiffLine } from "@sluice/model";

const marks = { same: " ", removed: "-", added: "+" } as const;
const isChange = ({ kind }: DiffLine): boolean => kind !== "same";

/** The removed (`- …`) and added (`+ …`) lines of a diff and the lines between them, after one line of context. */
export function printedDiff(before: string, after: string): readonly string[] {
  const lines = diffLines(before, after);
  return lines.slice(Math.max(0, lines.findIndex(isChange) - 1), lines.findLastIndex(isChange) + 1).map(({ kind, text }) => `${marks[kind]} ${text}`);
}
