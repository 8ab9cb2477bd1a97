// Tables as CSV: the first line names the columns, by id or as SAP's `AGENCY|identifier`.
import { csvLine, parseCsvIncrementally } from "../text/csv.ts";
import { runToEnd, type Incremental } from "../text/incremental.ts";
import { tableLimits } from "./table-limits.ts";
import type { Cell, TableContent } from "./value-table.ts";

const rowsPerPiece = 1_000;

/** A table document, not checked yet. */
type TableDocument = Readonly<Record<string, unknown>>;

/** The table document of a CSV file. Its content is checked like any other document. */
export const tableFromCsv = (text: string): TableDocument => runToEnd(tableFromCsvIncrementally(text));

export function* tableFromCsvIncrementally(text: string): Incremental<TableDocument> {
  const firstLine = /^[^\r\n]*/.exec(text.replace(/^\ufeff/, ""))?.[0] ?? "";
  const delimiter = [",", ";", "\t"].find((candidate) => firstLine.includes(candidate)) ?? ",";
  const [header = [], ...rows] = yield* parseCsvIncrementally(text, { delimiter, quote: '"' });
  const columns = header.map((name) => {
    const id = (name ?? "").trim();
    const bar = id.indexOf("|");
    return bar < 0 ? id : { id, agency: id.slice(0, bar), identifier: id.slice(bar + 1) };
  });
  // Editors often omit trailing empty values.
  return {
    columns,
    rows: rows
      .slice(0, tableLimits.rows + 1)
      .map((row) => (row.length < columns.length ? [...row, ...Array<Cell>(columns.length - row.length).fill(null)] : row)),
  };
}

export const tableToCsv = (content: TableContent): string => [...tableCsvPieces(content)].join("");

/** The text in pieces of several rows each. */
export function* tableCsvPieces({ columns, rows }: TableContent): Generator<string> {
  const syntax = { delimiter: ",", quote: '"' };
  const header = csvLine(
    columns.map((column) => column.id),
    syntax,
  );
  let lines = [header];
  for (const row of rows) {
    if (lines.push(csvLine(row, syntax)) < rowsPerPiece) continue;
    yield `${lines.join("\r\n")}\r\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join("\r\n")}\r\n`;
}
