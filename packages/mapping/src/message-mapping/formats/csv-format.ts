// CSV: `rows`, each an object by column name. Without header and columns the names are c1, c2, …
import { isPlainObject, setEntry } from "@sluice/engine/spi";
import { csvLine, parseCsv } from "../../text/csv.ts";
import { MappingFault } from "../mapping-fault.ts";
import { toList } from "../values.ts";
import { noPrefixes, textOfBody, textOption, type FormatOptions, type MessageFormat, type SideReport } from "./message-format.ts";

export function csvFormat(options: FormatOptions, report: SideReport): MessageFormat {
  const syntax = { delimiter: textOption(options, "delimiter", ",", report), quote: textOption(options, "quote", '"', report) };
  if (syntax.delimiter === "" || /[\r\n]/.test(syntax.delimiter)) report("delimiter", "expected text without line breaks");
  if (syntax.quote.length > 1 || syntax.quote === syntax.delimiter) report("quote", "expected one character other than the delimiter, or nothing");
  const { columns } = options;
  if (columns !== undefined && !(Array.isArray(columns) && columns.every((name) => typeof name === "string")))
    report("columns", "expected a list of column names");
  const names = Array.isArray(columns) ? (columns as readonly string[]) : undefined;
  const hasHeader = options["header"] === undefined ? names === undefined : options["header"] === true;
  const lineBreak = textOption(options, "lineBreak", "\r\n", report);
  return {
    name: "csv",
    contentType: "text/csv; charset=utf-8",
    oneOrMany: false,
    prefixes: noPrefixes,
    read(body) {
      const text = textOfBody(body);
      if (text === undefined) return Array.isArray(body) ? { rows: body } : body;
      const records = parseCsv(text, syntax);
      const header = hasHeader ? (records.shift() ?? []).map((name) => name ?? "") : [];
      const known = names ?? header;
      return {
        rows: records.map((record) => {
          const row: Record<string, unknown> = {};
          for (let index = 0; index < Math.max(record.length, known.length); index++) setEntry(row, known[index] || `c${index + 1}`, record[index] ?? null);
          return row;
        }),
      };
    },
    write(output) {
      const rows = toList(isPlainObject(output) ? output["rows"] : output);
      const found = names ?? [...new Set(rows.flatMap((row) => (isPlainObject(row) ? Object.keys(row) : [])))];
      const lines = hasHeader ? [csvLine(found, syntax)] : [];
      for (const row of rows) {
        if (!isPlainObject(row)) throw new MappingFault("output", "a CSV target needs the list 'rows' of objects");
        lines.push(
          csvLine(
            found.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined)),
            syntax,
          ),
        );
      }
      return lines.map((line) => line + lineBreak).join("");
    },
  };
}
