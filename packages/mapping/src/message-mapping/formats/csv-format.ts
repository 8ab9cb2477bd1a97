// CSV: `rows`, each an object by column name. Without header and columns the names are c1, c2, …
import { isPlainObject, setEntry, type CsvRecord } from "@sluice/engine/values";
import { formatValue } from "../../problem.ts";
import { csvLine, parseCsvIncrementally, type CsvMarks } from "../../text/csv.ts";
import { runToEnd, type Incremental } from "../../text/incremental.ts";
import { limitFault } from "../../text/read-fault.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, toList, toText } from "../values.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { flagOption, noPrefixes, textOfBody, textOption, type FormatOptions, type MessageFormat, type SideReport } from "./message-format.ts";

export function csvFormat(options: FormatOptions, report: SideReport): MessageFormat {
  const syntax = { delimiter: textOption(options, "delimiter", ",", report), quote: textOption(options, "quote", '"', report) };
  if (syntax.delimiter === "" || /[\r\n]/.test(syntax.delimiter)) report("delimiter", "expected a string without line breaks");
  if (syntax.quote.length > 1 || /[\r\n]/.test(syntax.quote) || (syntax.quote !== "" && syntax.delimiter.includes(syntax.quote)))
    report("quote", "expected one character that is not in the delimiter, or an empty string");
  const { columns } = options;
  if (columns !== undefined && !(Array.isArray(columns) && columns.every((name) => typeof name === "string")))
    report("columns", "expected a list of column names");
  const names = Array.isArray(columns) ? (columns as readonly string[]) : undefined;
  if (names !== undefined && new Set(names).size < names.length) report("columns", "duplicate name: give each column a different name");
  const hasHeader = flagOption(options, "header", names === undefined, report);
  const lineBreak = textOption(options, "lineBreak", "\r\n", report);
  function* readRows(body: unknown): Incremental<unknown> {
    const text = textOfBody(body);
    if (text === undefined) return Array.isArray(body) ? { rows: body } : body;
    const records = yield* parseCsvIncrementally(text, syntax);
    const header = hasHeader ? (records.shift() ?? []) : [];
    const columnIds = names ?? columnNames(header);
    const added = records.reduce((sum, record) => sum + Math.max(0, columnIds.length - record.length), 0);
    if (added > maxEmptyCells) throw limitFault(`the rows of the CSV are shorter than its header by more than ${maxEmptyCells} cells`);
    const longest = records.reduce((max, record) => Math.max(max, record.length), 0);
    const allNames = longest > columnIds.length ? withColumnNames(columnIds, longest) : columnIds;
    const rows: Record<string, unknown>[] = [];
    let cells = 0;
    for (const record of records) {
      const row: Record<string, unknown> = {};
      const width = Math.max(record.length, columnIds.length);
      for (let index = 0; index < width; index++) setEntry(row, allNames[index] as string, record[index] ?? null);
      rows.push(row);
      cells += width + 1;
      if (cells < cellsPerStep) continue;
      cells = 0;
      yield undefined;
    }
    return { rows };
  }
  return {
    name: "csv",
    contentType: "text/csv; charset=utf-8",
    oneOrMany: false,
    prefixes: noPrefixes,
    read: (body) => runToEnd(readRows(body)),
    readIncrementally: readRows,
    write(output) {
      if (isPlainObject(output) && output["rows"] === undefined && Object.keys(output).length > 0) throw noRows();
      const rows = toList(isPlainObject(output) ? output["rows"] : output);
      const outputNames = names ?? [...new Set(rows.flatMap((row) => (isPlainObject(row) ? Object.keys(row) : [])))];
      if (rows.length * outputNames.length > maxCells)
        throw limitFault(`the CSV has ${rows.length} rows of ${outputNames.length} columns, more than ${maxCells} cells`);
      const lines = new BoundedLines(lineBreak);
      if (hasHeader && outputNames.length > 0) lines.add(lineOf(outputNames, syntax));
      for (const row of rows) {
        if (!isPlainObject(row)) throw noRows();
        const values = outputNames.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined));
        lines.add(lineOf(values, syntax));
      }
      return lines.toText();
    },
  };
}

const cellsPerStep = 2_000;
/** Short rows are padded with empty cells: a few bytes of a message must not become gigabytes. */
const maxEmptyCells = 1_000_000;
const maxCells = 4_000_000;
const defaultColumnName = (index: number): string => `c${index + 1}`;
const noRows = (): MappingFault => new MappingFault("output", "a CSV target needs 'rows', a list of objects");

/** A column without a name, or with a duplicate one, is named by its position. */
function columnNames(header: CsvRecord): readonly string[] {
  const usedNames = new Set(header);
  const seen = new Set<string>();
  return header.map((headerName, index) => {
    const isUnique = headerName !== null && headerName !== "" && !seen.has(headerName);
    const name = isUnique ? headerName : uniqueColumnName(index, usedNames);
    seen.add(name);
    return name;
  });
}

/** The names, followed by names for columns without a header. */
function withColumnNames(names: readonly string[], length: number): readonly string[] {
  const usedNames = new Set<string | null>(names);
  return [...names, ...Array.from({ length: length - names.length }, (_, index) => uniqueColumnName(names.length + index, usedNames))];
}

/** A unique name for a column without a header: `_` is appended while another column has the same name. */
function uniqueColumnName(index: number, usedNames: Set<string | null>): string {
  let name = defaultColumnName(index);
  while (usedNames.has(name)) name += "_";
  usedNames.add(name);
  return name;
}

function lineOf(values: readonly unknown[], syntax: CsvMarks): string {
  if (syntax.quote === "") for (const value of values) checkUnquoted(isNothing(value) ? "" : toText(value), syntax);
  const line = csvLine(values, syntax);
  // An empty line would not count as a row.
  return line === "" ? syntax.quote + syntax.quote : line;
}

function checkUnquoted(text: string, { delimiter }: CsvMarks): void {
  if (!text.includes(delimiter.charAt(0)) && !/[\r\n]/.test(text)) return;
  throw new MappingFault("output", `${formatValue(text)} contains a delimiter or a line break, but the target has no quote character: set 'quote'`, text);
}
