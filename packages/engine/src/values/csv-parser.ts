// A streaming CSV parser: accepts chunks of any size, so that a large file is never held in memory.
import { FlowError } from "../errors/flow-error.ts";

/** The syntax of the text. */
export interface CsvSyntax {
  readonly delimiter: string;
  /** Undefined when values are never quoted. */
  readonly quote: string | undefined;
  readonly escape?: string | undefined;
  readonly commentMarker?: string | undefined;
  /** An unquoted value with this text is null. */
  readonly nullString?: string | undefined;
  readonly ignoreEmptyLines?: boolean;
  readonly ignoreSurroundingSpaces?: boolean;
  readonly trim?: boolean;
  readonly trailingDelimiter?: boolean;
}

export type CsvRecord = (string | null)[];

const maxValueLength = 16 * 1024 * 1024;
/** Records are processed as a whole, so a longer one would block the event loop. */
const maxRecordLength = 200_000;
const escapes: Readonly<Record<string, string>> = { r: "\r", n: "\n", t: "\t", b: "\b", f: "\f" };

type State = "start" | "plain" | "quoted" | "closed" | "comment";

export class CsvParser {
  readonly #syntax: CsvSyntax;
  #pending = "";
  #state: State = "start";
  #value = "";
  #wasQuoted = false;
  #record: CsvRecord = [];
  #line = 1;
  #fault: unknown = undefined;

  constructor(syntax: CsvSyntax) {
    this.#syntax = syntax;
  }

  /** Number of values in the incomplete record so far. */
  get width(): number {
    return this.#record.length;
  }

  /** Adds a chunk and returns the records it completes. */
  push(chunk: string): CsvRecord[] {
    return this.#read(this.#pending + chunk, false);
  }

  /** Ends the text and returns the last record, which need not end with a line break. */
  end(): CsvRecord[] {
    const records = this.#read(this.#pending, true);
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#state === "quoted") throw invalidCsv(`the CSV ends inside a quoted value (line ${this.#line})`);
    if (this.#state !== "comment" && (this.#record.length > 0 || this.#state !== "start")) this.#endRecord(records);
    return records;
  }

  #read(text: string, isLast: boolean): CsvRecord[] {
    if (this.#fault !== undefined) throw this.#fault;
    const records: CsvRecord[] = [];
    // A delimiter, an escape, a doubled quote or CRLF may span two chunks: keep a few characters until the next one.
    const lookahead = isLast ? 0 : Math.max(this.#syntax.delimiter.length, 2) - 1;
    let at = 0;
    try {
      while (at < text.length - lookahead) at = this.#step(text, at, records);
    } catch (fault) {
      // Records before the error are valid: lazy readers receive them first.
      if (records.length === 0) throw fault;
      this.#fault = fault;
    }
    this.#pending = text.slice(at);
    return records;
  }

  #step(text: string, at: number, records: CsvRecord[]): number {
    const character = text[at] as string;
    if (this.#state === "quoted") return this.#quoted(text, at, character);
    if (character === "\n" || character === "\r") return this.#lineBreak(text, at, character, records);
    if (this.#state === "comment") return at + 1;
    if (text.startsWith(this.#syntax.delimiter, at)) {
      this.#endValue();
      this.#state = "start";
      // The record continues even if nothing follows: `a,` has two values.
      return at + this.#syntax.delimiter.length;
    }
    if (this.#state === "closed") {
      if (character.trim() !== "") throw invalidCsv(`unexpected text after a quoted value (line ${this.#line})`);
      return at + 1;
    }
    if (this.#state === "start") return this.#begin(at, character);
    if (character === this.#syntax.escape) return this.#escape(text, at);
    return this.#plainText(text, at);
  }

  #begin(at: number, character: string): number {
    if (character === this.#syntax.commentMarker && this.#record.length === 0 && this.#value === "") {
      this.#state = "comment";
      return at + 1;
    }
    if (this.#syntax.ignoreSurroundingSpaces && (character === " " || character === "\t")) return at + 1;
    if (character === this.#syntax.quote) {
      this.#state = "quoted";
      this.#wasQuoted = true;
      return at + 1;
    }
    this.#state = "plain";
    return at;
  }

  /** Consumes a run of ordinary characters at once. */
  #plainText(text: string, at: number): number {
    const { delimiter, escape } = this.#syntax;
    const stop = delimiter.charCodeAt(0);
    const escapeCode = escape?.charCodeAt(0);
    let end = at + 1;
    for (; end < text.length - 1; end++) {
      const code = text.charCodeAt(end);
      if (code === stop || code === 10 || code === 13 || code === escapeCode) break;
    }
    this.#add(text.slice(at, end));
    return end;
  }

  #quoted(text: string, at: number, character: string): number {
    const { quote, escape } = this.#syntax;
    if (character === quote) {
      if (text[at + 1] === quote) {
        this.#add(quote);
        return at + 2;
      }
      this.#state = "closed";
      return at + 1;
    }
    if (character === escape) return this.#escape(text, at);
    if (character === "\n") this.#line++;
    this.#add(character);
    return at + 1;
  }

  #escape(text: string, at: number): number {
    const next = text[at + 1];
    const { quote, escape, delimiter, commentMarker } = this.#syntax;
    if (next === undefined) this.#add(escape as string);
    else if (Object.hasOwn(escapes, next)) this.#add(escapes[next] as string);
    else if (next === quote || next === escape || next === delimiter[0] || next === commentMarker || next === "\n" || next === "\r") this.#add(next);
    else this.#add((escape as string) + next);
    return at + 2;
  }

  #lineBreak(text: string, at: number, character: string, records: CsvRecord[]): number {
    const length = character === "\r" && text[at + 1] === "\n" ? 2 : 1;
    this.#line++;
    if (this.#state === "comment") this.#state = "start";
    else if (this.#record.length === 0 && this.#state === "start") {
      if (!this.#syntax.ignoreEmptyLines) records.push([""]);
    } else this.#endRecord(records);
    return at + length;
  }

  #endRecord(records: CsvRecord[]): void {
    this.#endValue();
    if (this.#syntax.trailingDelimiter && this.#record.at(-1) === "") this.#record.pop();
    records.push(this.#record);
    this.#record = [];
    this.#state = "start";
  }

  #endValue(): void {
    let value = this.#value;
    if (this.#syntax.trim || (this.#syntax.ignoreSurroundingSpaces && !this.#wasQuoted)) value = value.trim();
    this.#record.push(!this.#wasQuoted && value === this.#syntax.nullString ? null : value);
    this.#value = "";
    this.#wasQuoted = false;
    if (this.#record.length > maxRecordLength) throw invalidCsv(`a record of the CSV has more than ${maxRecordLength} values (line ${this.#line})`);
  }

  #add(text: string): void {
    this.#value += text;
    if (this.#value.length > maxValueLength) throw invalidCsv(`a CSV value is longer than ${maxValueLength} characters (line ${this.#line})`);
  }
}

/** The records of CSV text, one at a time. */
export function* csvRecords(text: string, syntax: CsvSyntax): Generator<CsvRecord> {
  for (const records of csvPieces(text, syntax)) yield* records;
}

/** The records of CSV text, read 64 K characters at a time; empty for a chunk that completes no record. */
export function* csvPieces(text: string, syntax: CsvSyntax): Generator<readonly CsvRecord[]> {
  const parser = new CsvParser(syntax);
  const size = 64 * 1024;
  for (let at = 0; at < text.length; at += size) yield parser.push(text.slice(at, at + size));
  yield parser.end();
}

function invalidCsv(message: string): FlowError {
  return new FlowError("org.apache.camel.TypeConversionException", message, { code: "invalid-csv", details: { clientFault: true } });
}
