// Tables as CSV: the first line names the columns, by id or as SAP's `AGENCY|identifier`.
import { csvLine, parseCsv } from "../text/csv.ts";
import { tableLimits } from "./read-table.ts";
import type { Cell, TableContent } from "./value-table.ts";

/** The table document a CSV text stands for. What it says is checked like any other document. */
export function tableFromCsv(text: string): Readonly<Record<string, unknown>> {
  const firstLine = /^[^\r\n]*/.exec(text.replace(/^\ufeff/, ""))?.[0] ?? "";
  const delimiter = [",", ";", "\t"].find((candidate) => firstLine.includes(candidate)) ?? ",";
  const [header = [], ...rows] = parseCsv(text, { delimiter, quote: '"' });
  const columns = header.map((name) => {
    const id = (name ?? "").trim();
    const bar = id.indexOf("|");
    return bar < 0 ? id : { id, agency: id.slice(0, bar), identifier: id.slice(bar + 1) };
  });
  // Editors leave trailing empty values out as often as not.
  return {
    columns,
    rows: rows
      .slice(0, tableLimits.rows + 1)
      .map((row) => (row.length < columns.length ? [...row, ...Array<Cell>(columns.length - row.length).fill(null)] : row)),
  };
}

export function tableToCsv({ columns, rows }: TableContent): string {
  const syntax = { delimiter: ",", quote: '"' };
  const lines = [
    csvLine(
      columns.map((column) => column.id),
      syntax,
    ),
  ];
  for (const row of rows) lines.push(csvLine(row, syntax));
  return `${lines.join("\r\n")}\r\n`;
}
