import { diffLines, type DiffLine } from "@sluice/model";
import { useMemo } from "react";
import { strings } from "../strings.ts";

const context = 3;
const maxRows = 2000;
const signs = { added: "+", removed: "−", same: " " } as const;

type Row = DiffLine | { readonly kind: "gap"; readonly lines: number };

/** A line-by-line diff; long unchanged sections are collapsed. */
export function DiffView({ before, after, label }: { readonly before: string; readonly after: string; readonly label: string }) {
  const rows = useMemo(() => foldUnchanged(diffLines(before, after)), [before, after]);
  if (before === after) return <p className="muted">{strings.diff.same}</p>;
  return (
    <div className="diff" role="region" aria-label={label} tabIndex={0}>
      <table>
        <tbody>
          {rows.map((row, index) =>
            row.kind === "gap" ? (
              <tr key={index} data-kind="gap">
                <td colSpan={4}>⋯ {strings.diff.hidden(row.lines)}</td>
              </tr>
            ) : (
              <tr key={index} data-kind={row.kind}>
                <td className="diff__number">{row.before}</td>
                <td className="diff__number">{row.after}</td>
                <td>
                  <span aria-hidden="true">{signs[row.kind]}</span>
                  {row.kind === "same" ? null : <span className="visually-hidden">{strings.diff[row.kind]}</span>}
                </td>
                <td>{row.text}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function foldUnchanged(lines: readonly DiffLine[]): readonly Row[] {
  const visible = new Set<number>();
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let at = index - context; at <= index + context; at++) visible.add(at);
  });
  const rows: Row[] = [];
  let hidden = 0;
  lines.forEach((line, index) => {
    if (!visible.has(index)) hidden++;
    else {
      if (hidden > 0) rows.push({ kind: "gap", lines: hidden });
      hidden = 0;
      rows.push(line);
    }
  });
  if (hidden > 0) rows.push({ kind: "gap", lines: hidden });
  return rows.slice(0, maxRows);
}
