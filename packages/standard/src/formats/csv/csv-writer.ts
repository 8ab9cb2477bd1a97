import { FlowError } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import type { CsvStyle } from "./csv-style.ts";

/** The rows of a body: a list of lists or maps has many rows, a single map or list of values is one row. */
export function rowsOf(body: unknown): Iterable<unknown> {
  if (Array.isArray(body)) return body.every((item) => typeof item !== "object" || item === null) && body.length > 0 ? [body] : body;
  if (typeof body === "object" && body !== null && Symbol.iterator in body && !(body instanceof Map) && !(body instanceof Uint8Array))
    return body as Iterable<unknown>;
  return [body];
}

/** The values of one row; those of a map are in the order of `columns`, if given. */
export function valuesOf(row: unknown, columns: readonly string[] | undefined): readonly unknown[] {
  if (Array.isArray(row)) return row as readonly unknown[];
  if (row instanceof Map) return columns === undefined ? [...row.values()] : columns.map((name) => row.get(name) as unknown);
  if (typeof row !== "object" || row === null) return [row];
  const prototype: unknown = Object.getPrototypeOf(row);
  if (prototype !== Object.prototype && prototype !== null)
    throw new FlowError("java.lang.IllegalArgumentException", "a CSV row must be a list or a map", { code: "csv-row" });
  const record = row as Readonly<Record<string, unknown>>;
  return columns === undefined ? Object.values(record) : columns.map((name) => (Object.hasOwn(record, name) ? record[name] : undefined));
}

/** One record as text, its separator included. */
export function writeRecord(values: readonly unknown[], style: CsvStyle): string {
  const cells = values.map((value, index) => writeCell(value, index === 0, style));
  return cells.join(style.delimiter) + (style.trailingDelimiter ? style.delimiter : "") + style.recordSeparator;
}

function writeCell(value: unknown, isFirst: boolean, style: CsvStyle): string {
  const { quote, quoteMode, escape } = style;
  const isNull = value === null || value === undefined;
  const text = isNull ? (style.nullString ?? "") : style.trim ? asText(value).trim() : asText(value);
  if (quote === undefined || quoteMode === "NONE") return isNull || escape === undefined ? text : escapeText(text, escape, style);
  if (isNull && quoteMode !== "ALL") return text;
  return needsQuotes(text, value, isFirst, style) ? quote + text.replaceAll(quote, quote + quote) + quote : text;
}

function needsQuotes(text: string, value: unknown, isFirst: boolean, { quoteMode, delimiter, quote }: CsvStyle): boolean {
  if (quoteMode === "ALL" || quoteMode === "ALL_NON_NULL") return true;
  if (quoteMode === "NON_NUMERIC") return typeof value !== "number" && typeof value !== "bigint";
  if (text === "") return isFirst;
  const first = text.charCodeAt(0);
  // As in commons-csv: quotes values that start with a control character, a space, `!`, `"` or `#` or that end with a space or control character,
  // and a first value that starts with a non-ASCII character.
  if (first <= 0x23 || (isFirst && first > 0x7e) || text.charCodeAt(text.length - 1) <= 0x20) return true;
  return text.includes(delimiter) || text.includes(quote as string) || text.includes("\n") || text.includes("\r");
}

function escapeText(text: string, escape: string, style: CsvStyle): string {
  let result = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "\n") result += `${escape}n`;
    else if (character === "\r") result += `${escape}r`;
    else if (character === escape || character === style.delimiter[0]) result += escape + character;
    else result += character;
  }
  return result;
}
