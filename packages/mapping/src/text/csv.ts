// CSV text ⇄ records. An empty value without quotes is null, so that "nothing" and "empty text" stay apart.
import { asText } from "@sluice/engine/spi";
import { readFault } from "./read-fault.ts";

export interface CsvSyntax {
  readonly delimiter: string;
  readonly quote: string;
}

export type CsvRecord = readonly (string | null)[];

export function parseCsv(text: string, { delimiter, quote }: CsvSyntax): CsvRecord[] {
  const records: CsvRecord[] = [];
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let record: (string | null)[] = [];
  let at = start;
  let line = 1;
  const separator = delimiter.charCodeAt(0);
  while (at < text.length) {
    if (record.length === 0 && isLineBreak(text.charCodeAt(at))) {
      if (text.charCodeAt(at) === 10 || text.charCodeAt(at + 1) !== 10) line++;
      at++;
      continue;
    }
    let value: string | null;
    if (quote !== "" && text.startsWith(quote, at)) {
      const end = closingQuote(text, at + 1, quote);
      if (end < 0) throw readFault("csv", `the CSV ends inside a quoted value (line ${line})`);
      const raw = text.slice(at + 1, end);
      for (let scan = raw.indexOf("\n"); scan >= 0; scan = raw.indexOf("\n", scan + 1)) line++;
      value = raw.includes(quote) ? raw.replaceAll(quote + quote, quote) : raw;
      at = end + 1;
      if (at < text.length && !text.startsWith(delimiter, at) && !isLineBreak(text.charCodeAt(at)))
        throw readFault("csv", `unexpected text after a quoted value (line ${line})`);
    } else {
      let end = at;
      while (end < text.length) {
        const code = text.charCodeAt(end);
        if (code === 10 || code === 13 || (code === separator && text.startsWith(delimiter, end))) break;
        end++;
      }
      value = end === at ? null : text.slice(at, end);
      at = end;
    }
    record.push(value);
    if (at < text.length && text.startsWith(delimiter, at)) {
      at += delimiter.length;
      // A delimiter at the very end announces one more, empty value.
      if (at < text.length && !isLineBreak(text.charCodeAt(at))) continue;
      record.push(null);
    }
    records.push(record);
    record = [];
    if (text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10) at++;
    at++;
    line++;
  }
  if (record.length > 0) records.push(record);
  return records;
}

function closingQuote(text: string, from: number, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 2)) if (!text.startsWith(quote, at + 1)) return at;
  return -1;
}

const isLineBreak = (code: number): boolean => code === 10 || code === 13;

/** One record without its line break; null and undefined are empty, empty text is quoted. */
export function csvLine(values: readonly unknown[], { delimiter, quote }: CsvSyntax): string {
  const cells = values.map((value) => {
    if (value === null || value === undefined) return "";
    const text = asText(value);
    if (quote === "") return text;
    // Its first character is enough: what a value ends with and what follows may make a delimiter together.
    const needsQuotes = text === "" || text.includes(delimiter.charAt(0)) || text.includes(quote) || /[\r\n]|^\s|\s$/.test(text);
    return needsQuotes ? quote + text.replaceAll(quote, quote + quote) + quote : text;
  });
  return cells.join(delimiter);
}
