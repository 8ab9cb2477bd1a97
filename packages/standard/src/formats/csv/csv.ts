import { defineFormat, type Awaitable, type Clock, type Exchange, type Format } from "@sluice/engine/spi";
import { asText, csvPieces, CsvParser, csvRecords, type CsvRecord } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { toRecord } from "../../xml/xml-object.ts";
import { type Chunk, commonFields, invalidInput, isStream, withText } from "../format-input.ts";
import { eachIncrementally } from "../incremental.ts";
import { type CsvStyle, csvStyle, csvStyleNames } from "./csv-style.ts";
import { rowsOf, valuesOf, writeRecord } from "./csv-writer.ts";

const disable = (what: string) => f.boolean({ doc: `Disables ${what}.`, group: "advanced" });

/** Comma-separated values and similar formats. */
export const csv = defineFormat({
  name: "csv",
  title: "CSV",
  summary: "Writes rows as delimited text, and reads them.",
  group: "text",
  icon: "table",
  since: "0.1",
  shorthand: "delimiter",
  options: {
    ...commonFields,
    format: f.enum(csvStyleNames, { doc: "A predefined CSV format; other options override it." }),
    formatName: f.enum(csvStyleNames, { doc: "Alias of format, used by older flows.", group: "advanced" }),
    formatRef: f.string({ doc: "Alias of format.", group: "advanced" }),
    delimiter: f.text({ doc: "Separator of values; a comma unless the format sets another one." }),
    quote: f.text({ doc: "Quote character for values with delimiters or line breaks." }),
    quoteDisabled: disable("quoting"),
    quoteMode: f.enum(["ALL", "ALL_NON_NULL", "MINIMAL", "NON_NUMERIC", "NONE"], { doc: "Which values are quoted when writing.", group: "advanced" }),
    escape: f.text({
      doc: "Escape character: makes a delimiter, quote, line break or escape character literal; after it, n, r, t, b and f are control characters.",
      group: "advanced",
    }),
    escapeDisabled: disable("escaping"),
    commentMarker: f.text({ doc: "Character that starts a comment line; comment lines are skipped.", group: "advanced" }),
    commentMarkerDisabled: disable("comments"),
    recordSeparator: f.text({ doc: "Text at the end of each written record; CR LF unless the format sets another one." }),
    recordSeparatorDisabled: f.string({ doc: "If `true`, writes records without a separator.", group: "advanced" }),
    nullString: f.text({ doc: "Text that represents null.", group: "advanced" }),
    nullStringDisabled: disable("nullString"),
    header: f.string({ doc: "Column names, separated by commas." }),
    headerDisabled: disable("the column names of `header`"),
    skipHeaderRecord: f.boolean({ doc: "Skips the first record when reading, and omits the header when writing.", default: false }),
    useMaps: f.boolean({ doc: "Reads rows as maps from column name to value; the names come from `header` or from the first record.", default: false }),
    useOrderedMaps: f.boolean({ doc: "Same as useMaps, because maps always preserve the order of their columns.", default: false }),
    lazyLoad: f.boolean({ doc: "Reads rows on demand.", default: false }),
    captureHeaderRecord: f.boolean({ doc: "Sets the header CamelCsvHeaderRecord to the column names.", default: false, group: "advanced" }),
    ignoreEmptyLines: f.boolean({ doc: "Whether empty lines are skipped.", group: "advanced" }),
    ignoreSurroundingSpaces: f.boolean({ doc: "Whether whitespace around values is removed.", group: "advanced" }),
    ignoreHeaderCase: f.boolean({ doc: "Converts column names to lower case.", group: "advanced" }),
    trim: f.boolean({ doc: "Whether values are trimmed, including quoted ones.", group: "advanced" }),
    trailingDelimiter: f.boolean({ doc: "Whether records end with a delimiter.", group: "advanced" }),
    allowMissingColumnNames: f.boolean({ doc: "Whether a column may have no name.", group: "advanced" }),
    marshallerFactoryRef: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    recordConverterRef: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  },
  examples: [
    { title: "Rows as maps", yaml: "unmarshal: {csv: {useMaps: true}}", given: { body: "id,name\n1,Ann\n" }, expect: { body: [{ id: "1", name: "Ann" }] } },
    { title: "Writing", yaml: 'marshal: {csv: {delimiter: ";"}}', given: { body: [["a", "b;c"]] }, expect: { body: 'a;"b;c"\r\n' } },
  ],
  create(options, clock): Format {
    const style = csvStyle(options);
    const columns = options.headerDisabled === true || options.header === undefined ? undefined : options.header.split(",").map((name) => name.trim());
    const shape: RowShape = {
      style,
      columns,
      maps: options.useMaps || options.useOrderedMaps,
      skipFirst: options.skipHeaderRecord,
      capture: options.captureHeaderRecord,
    };
    return {
      marshal(body) {
        let text = columns !== undefined && !options.skipHeaderRecord ? writeRecord(columns, style) : "";
        const rows = rowsOf(body);
        const write = (row: unknown): void => void (text += writeRecord(valuesOf(row, columns), style));
        return eachIncrementally(rows[Symbol.iterator](), write, () => text, clock);
      },
      unmarshal(body, exchange) {
        if (isStream(body)) return options.lazyLoad ? lazyRows(body, shape, exchange) : collectRows(body, shape, exchange);
        return withText(body, (text) => {
          if (options.lazyLoad) return rowsOfText(text, shape, exchange);
          return text.length > slicingThreshold ? rowsInSlices(text, { shape, exchange, clock }) : [...rowsOfText(text, shape, exchange)];
        });
      },
    };
  },
});

interface RowShape {
  readonly style: CsvStyle;
  readonly columns: readonly string[] | undefined;
  readonly maps: boolean;
  readonly skipFirst: boolean;
  readonly capture: boolean;
}

/** Longer text is parsed in slices, so that other runs are not blocked. */
const slicingThreshold = 256 * 1024;

interface SliceContext {
  readonly shape: RowShape;
  readonly exchange: Exchange;
  readonly clock: Clock | undefined;
}

function rowsInSlices(text: string, { shape, exchange, clock }: SliceContext): Awaitable<unknown[]> {
  const rows: unknown[] = [];
  const shaper = new RowShaper(shape, exchange);
  return eachIncrementally(
    csvPieces(text, shape.style),
    (records) => void rows.push(...toRows(records, shaper)),
    () => rows,
    clock,
  );
}

function* rowsOfText(text: string, shape: RowShape, exchange: Exchange): Generator<unknown> {
  const shaper = new RowShaper(shape, exchange);
  for (const record of csvRecords(text, shape.style)) {
    const row = shaper.row(record);
    if (row !== undefined) yield row;
  }
}

async function* lazyRows(body: AsyncIterable<Chunk>, shape: RowShape, exchange: Exchange): AsyncGenerator<unknown> {
  const parser = new CsvParser(shape.style);
  const shaper = new RowShaper(shape, exchange);
  const decoder = new TextDecoder();
  for await (const chunk of body) yield* toRows(parser.push(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })), shaper);
  yield* toRows([...parser.push(decoder.decode()), ...parser.end()], shaper);
}

function* toRows(records: readonly CsvRecord[], shaper: RowShaper): Generator<unknown> {
  for (const record of records) {
    const row = shaper.row(record);
    if (row !== undefined) yield row;
  }
}

async function collectRows(body: AsyncIterable<Chunk>, shape: RowShape, exchange: Exchange): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of lazyRows(body, shape, exchange)) rows.push(row);
  return rows;
}

/** Converts records to rows; the first record may contain the column names. */
class RowShaper {
  readonly #shape: RowShape;
  readonly #exchange: Exchange;
  #columns: readonly string[] | undefined;
  #isFirst = true;

  constructor(shape: RowShape, exchange: Exchange) {
    this.#shape = shape;
    this.#exchange = exchange;
    if (shape.columns !== undefined) this.#setColumns(shape.columns);
  }

  row(record: CsvRecord): unknown {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (isFirst && this.#columns === undefined && (this.#shape.maps || this.#shape.capture)) {
      this.#setColumns(record.map((name) => name ?? ""));
      if (this.#shape.maps || this.#shape.skipFirst) return undefined;
    } else if (isFirst && this.#shape.skipFirst) return undefined;
    if (!this.#shape.maps) return record;
    const columns = this.#columns as readonly string[];
    return toRecord(columns.slice(0, record.length).map((name, index) => [name, record[index]] as const));
  }

  #setColumns(columns: readonly string[]): void {
    this.#columns = this.#shape.style.ignoreHeaderCase ? columns.map((name) => name.toLowerCase()) : columns;
    if (this.#shape.maps && !this.#shape.style.allowMissingColumnNames && columns.some((name) => asText(name).trim() === ""))
      throw invalidInput("csv", `a column of the CSV has no name: ${columns.join(",")}; set allowMissingColumnNames to accept it`);
    if (this.#shape.capture) this.#exchange.message.headers.set("CamelCsvHeaderRecord", [...columns]);
  }
}
