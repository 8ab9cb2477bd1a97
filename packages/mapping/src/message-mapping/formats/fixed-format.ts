// Lines with fields at fixed positions. One kind of line (`fields`) is read as `rows`; several kinds (`records`) are distinguished by how they
// begin, and may nest by `loops`. Positions count from 1, as in specifications.
import { isPlainObject, setEntry } from "@sluice/engine/values";
import { memberNames } from "@sluice/model";
import { runToEnd, type Incremental } from "../../text/incremental.ts";
import { limitFault, readFault } from "../../text/read-fault.ts";
import { formatValue, unknownProperties } from "../../problem.ts";
import { characterCount, characterSlicer, padding, sliceCharacters } from "../../text/characters.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, toList, toText } from "../values.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { fieldSchema, recordSchema } from "./format-schemas.ts";
import { nestRecords, readLoops, type TaggedRecord } from "./segment-loops.ts";
import { noPrefixes, textOfBody, textOption, type FormatOptions, type MessageFormat, type SideReport } from "./message-format.ts";

interface FixedField {
  readonly name: string;
  readonly start: number;
  readonly length: number;
  readonly align: "left" | "right";
  readonly pad: string;
}

interface FixedRecord {
  readonly name: string;
  readonly match: string | undefined;
  readonly fields: readonly FixedField[];
}

const linesPerStep = 500;
const limits = { lines: 1_000_000, length: 100_000 } as const;

export function fixedFormat(options: FormatOptions, report: SideReport): MessageFormat {
  const isSingle = options["fields"] !== undefined;
  if (isSingle && options["records"] !== undefined) report("", "a fixed format needs either 'fields' or 'records', not both");
  const records = isSingle
    ? [{ name: "rows", match: undefined, fields: readFields(options["fields"], "fields", report) }]
    : readRecords(options["records"], report);
  const loops = readLoops(options["loops"], report);
  const lineBreak = textOption(options, "lineBreak", "\r\n", report);
  function* readLines(body: unknown): Incremental<unknown> {
    const text = textOfBody(body);
    if (text === undefined) return body;
    const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/, limits.lines + 1);
    if (lines.length > limits.lines) throw limitFault(`the message has more than ${limits.lines} lines`);
    const lineRecords: ReturnType<typeof readLine>[] = [];
    for (const [index, line] of lines.entries()) {
      if (line.trim() !== "") lineRecords.push(readLine(line, index, records));
      if (index % linesPerStep === 0) yield undefined;
    }
    return isSingle ? { rows: lineRecords.map((record) => record.fields) } : nestRecords(lineRecords, loops);
  }
  return {
    name: "fixed",
    contentType: "text/plain; charset=utf-8",
    oneOrMany: true,
    prefixes: noPrefixes,
    read: (body) => runToEnd(readLines(body)),
    readIncrementally: readLines,
    write(output) {
      const lines = new BoundedLines(lineBreak);
      writeRecords(output, records, lines, 0);
      return lines.toText();
    },
  };
}

function readRecords(value: unknown, report: SideReport): readonly FixedRecord[] {
  const entries = isPlainObject(value)
    ? Object.entries(value).map(([name, record]) => ({ ...(isPlainObject(record) ? record : {}), name }))
    : Array.isArray(value)
      ? value
      : undefined;
  if (entries === undefined || entries.length === 0) {
    report("", "a fixed format needs 'fields', or 'records' whose entries each have name, match and fields");
    return [];
  }
  return entries.map((entry: unknown, index) => {
    const record = isPlainObject(entry) ? entry : {};
    const path = `records[${index}]`;
    const { name, match } = record;
    for (const fault of unknownProperties(record, memberNames(recordSchema))) report(path, fault);
    if (typeof name !== "string" || name === "") report(path, "expected a name");
    if (match !== undefined && typeof match !== "string") report(`${path}.match`, "expected the text that lines of this record begin with");
    return { name: String(name), match: typeof match === "string" ? match : String(name), fields: readFields(record["fields"], `${path}.fields`, report) };
  });
}

function readFields(value: unknown, path: string, report: SideReport): readonly FixedField[] {
  const entries = isPlainObject(value)
    ? Object.entries(value).map(([name, field]) => ({ ...(isPlainObject(field) ? field : {}), name }))
    : Array.isArray(value)
      ? value
      : undefined;
  if (entries === undefined || entries.length === 0) {
    report(path, "expected a list of fields with name, start and length");
    return [];
  }
  return entries.map((entry: unknown, index) => {
    const field = isPlainObject(entry) ? entry : {};
    const { name, start, length, align, pad } = field;
    for (const fault of unknownProperties(field, memberNames(fieldSchema))) report(`${path}[${index}]`, fault);
    const isInLine = (number: unknown): number is number => Number.isInteger(number) && (number as number) >= 1 && (number as number) <= limits.length;
    if (typeof name !== "string" || name === "" || !isInLine(start) || !isInLine(length))
      report(`${path}[${index}]`, `expected a name, and start and length from 1 to ${limits.length}`);
    if (pad !== undefined && (typeof pad !== "string" || pad.length !== 1)) report(`${path}[${index}].pad`, "expected one character");
    if (align !== undefined && align !== "left" && align !== "right") report(`${path}[${index}].align`, "expected left or right");
    return {
      name: String(name),
      start: Number(start),
      length: Number(length),
      align: align === "right" ? "right" : "left",
      pad: typeof pad === "string" && pad.length === 1 ? pad : " ",
    };
  });
}

function readLine(line: string, index: number, records: readonly FixedRecord[]): TaggedRecord {
  const record = records.find(({ match }) => match === undefined || line.startsWith(match));
  if (record === undefined) throw readFault("fixed", `line ${index + 1} does not begin with any of: ${records.map(({ match }) => match).join(", ")}`);
  const fields: Record<string, unknown> = {};
  const cut = characterSlicer(line);
  for (const { name, start, length, align, pad } of record.fields) {
    const text = trimPadding(cut(start - 1, start - 1 + length), align, pad).trim();
    setEntry(fields, name, text === "" ? null : text);
  }
  return { tag: record.name, fields };
}

/** Removes padding from the side it was added on; a number made only of zeros keeps one zero. */
function trimPadding(text: string, align: "left" | "right", pad: string): string {
  if (pad === " ") return text;
  let from = 0;
  let to = text.length;
  if (align === "right") while (from < to - (pad === "0" ? 1 : 0) && text[from] === pad) from++;
  else while (to > from && text[to - 1] === pad) to--;
  return text.slice(from, to);
}

function writeRecords(node: unknown, records: readonly FixedRecord[], lines: BoundedLines, depth: number): void {
  if (depth > 100) throw new MappingFault("limit", "records are nested deeper than 100 levels");
  if (!isPlainObject(node)) throw new MappingFault("output", `a fixed target must be an object of the records ${records.map(({ name }) => name).join(", ")}`);
  for (const [name, value] of Object.entries(node)) {
    const record = records.find((candidate) => candidate.name === name);
    if (record === undefined) {
      if (depth === 0) throw new MappingFault("output", `'${name}' is not a record of the target: use ${records.map((allowed) => allowed.name).join(", ")}`);
      continue;
    }
    for (const item of toList(value)) {
      if (!isPlainObject(item)) throw new MappingFault("output", `record '${name}' must be an object of fields`);
      lines.add(lineOf(record, item, lines.count + 1));
      if (records.length > 1) writeRecords(item, records, lines, depth + 1);
    }
  }
}

function lineOf({ match, fields }: FixedRecord, item: Readonly<Record<string, unknown>>, number: number): string {
  let line = match ?? "";
  for (const { name, start, length, align, pad } of fields) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    // The tag that identifies a record need not be mapped.
    if (isNothing(value) && match !== undefined && start - 1 < match.length) continue;
    const text = isNothing(value) ? "" : toText(value);
    const fail = (why: string): never => {
      throw new MappingFault("output", `line ${number}, field '${name}': ${formatValue(text)} ${why}`, value);
    };
    if (characterCount(text) > length) fail(`is longer than the field (${length} characters)`);
    if (/[\r\n]/.test(text)) fail("contains a line break, which is not allowed in a fixed-width line");
    const fill = padding(text, length, isNothing(value) ? " " : pad);
    const prefix = sliceCharacters(line, 0, start - 1);
    line = prefix + padding(prefix, start - 1, " ") + (align === "right" ? fill + text : text + fill) + sliceCharacters(line, start - 1 + length);
  }
  return line;
}
