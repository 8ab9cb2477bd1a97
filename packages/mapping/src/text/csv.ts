// Converts between CSV text and records. An unquoted empty value is null, to distinguish it from empty text.
import { asText, CsvParser, type CsvRecord } from "@sluice/engine/values";
import type { Incremental } from "./incremental.ts";
import { limitFault } from "./read-fault.ts";

/** Maximum number of values in a document, so that a large one does not block other callers. */
const maxValues = 1_000_000;
const maxColumns = 100_000;
/** Characters read per step. */
const charactersPerStep = 16 * 1024;

/** A delimiter and a quote; empty text means no quote. */
export interface CsvMarks {
  readonly delimiter: string;
  readonly quote: string;
}

export function* parseCsvIncrementally(text: string, { delimiter, quote }: CsvMarks): Incremental<CsvRecord[]> {
  const parser = new CsvParser({ delimiter, quote: quote === "" ? undefined : quote, nullString: "", ignoreEmptyLines: true });
  const records: CsvRecord[] = [];
  let values = 0;
  const addRecords = (parsed: readonly CsvRecord[]): void => {
    for (const record of parsed) {
      values += record.length;
      if (record.length > maxColumns) throw limitFault(`a record of the CSV has more than ${maxColumns} values`);
      records.push(record);
    }
    if (parser.width > maxColumns) throw limitFault(`a record of the CSV has more than ${maxColumns} values`);
    if (values > maxValues) throw limitFault(`the CSV has more than ${maxValues} values`);
  };
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; at += charactersPerStep) {
    addRecords(parser.push(text.slice(at, at + charactersPerStep)));
    yield undefined;
  }
  addRecords(parser.end());
  return records;
}

/** One record without its line break; null and undefined are empty, empty text is quoted. */
export function csvLine(values: readonly unknown[], { delimiter, quote }: CsvMarks): string {
  const cells = values.map((value) => {
    if (value === null || value === undefined) return "";
    const text = asText(value);
    if (quote === "") return text;
    // The first character of the delimiter is enough: the end of a value and the next character may form a delimiter together.
    const needsQuotes = text === "" || text.includes(delimiter.charAt(0)) || text.includes(quote) || /[\r\n]|^\s|\s$/.test(text);
    return needsQuotes ? quote + text.replaceAll(quote, quote + quote) + quote : text;
  });
  return cells.join(delimiter);
}
