import { Composer, Parser, type Document } from "yaml";
import type { Diagnostic } from "../flow/diagnostic.ts";
import type { Tree } from "../flow/tree.ts";
import { guard } from "./guard.ts";
import { LineTable } from "./line-table.ts";
import { defaultLimits } from "./limits.ts";
import type { ReadLimits } from "./limits.ts";
import { readPlainText } from "./plain-text.ts";
import { TreeBuilder } from "./to-tree.ts";

export interface ReadResult {
  /** Undefined when the text is not acceptable YAML; then there is at least one diagnostic. */
  readonly tree: Tree | undefined;
  /** Their codes all start with `yaml-`. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads YAML into a tree with positions. Never throws, for any text, and stays within the limits. */
export function readTree(source: string, limits: Partial<ReadLimits> = {}): ReadResult {
  const bounds = { ...defaultLimits, ...limits };
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const lines = new LineTable(text.length > bounds.bytes ? "" : text, source.length - text.length);
  const plain = readPlainText(text, lines, bounds);
  return plain === undefined ? readAnyText(text, lines, bounds) : { tree: plain, diagnostics: [] };
}

/** Reads any YAML with the library. */
export function readAnyText(text: string, lines: LineTable, bounds: ReadLimits): ReadResult {
  const tokens = guard(text, bounds, lines);
  if ("code" in tokens) return { tree: undefined, diagnostics: [tokens] };
  const document = parse(tokens, text.length);
  const diagnostics: Diagnostic[] = [];
  const report = (code: string, message: string, start: number, end: number, hint?: string): void => {
    if (diagnostics.length >= bounds.faults) return;
    diagnostics.push({ code, severity: "error", message, path: "", span: lines.span(start, end), ...(hint === undefined ? {} : { hint }) });
  };
  const reportedOffsets = new Set<number>();
  const placed = [...document.errors, ...document.warnings].map((error) => {
    const unclosed = unclosedQuote(error, tokens, text);
    return { error, code: error.code, unclosed, start: unclosed ?? visibleStart(text, error.pos[0]) };
  });
  for (const { error, unclosed, start } of relevantErrors(placed, text).slice(0, bounds.faults)) {
    // An indentation error is reported several times at the same position: the first is the most precise.
    if (reportedOffsets.has(start)) continue;
    reportedOffsets.add(start);
    const message = unclosed === undefined ? sentence(error.message) : `the string that starts here has no closing quote: ${text[unclosed]}`;
    const hint = unclosed === undefined ? hintOf(error, text) : "add the quote at the end of the string";
    report(`yaml-${error.code.toLowerCase().replaceAll("_", "-")}`, message, start, unclosed === undefined ? Math.max(start, error.pos[1]) : start + 1, hint);
  }
  if (diagnostics.length > 0) return { tree: undefined, diagnostics };
  const tree = new TreeBuilder(text, lines, bounds, report).build(document.contents);
  return diagnostics.length > 0 ? { tree: undefined, diagnostics } : { tree, diagnostics };
}

/** Fixes for the most common errors. */
const hintsByCode: Readonly<Partial<Record<string, string>>> = {
  BAD_INDENT: "close the bracket or quote opened above, or align this line with its neighbors",
  BLOCK_AS_IMPLICIT_KEY: "align this line with its neighbors",
  BLOCK_IN_FLOW: "close the bracket or quote opened above",
  MISSING_CHAR: "close the bracket or quote, or write ': ' after the key",
  MULTILINE_IMPLICIT_KEY: "write ': ' after the key, or align this line with its neighbors",
  TAB_AS_INDENT: "indent with spaces",
  UNEXPECTED_TOKEN: "quote the text",
};

interface LibraryError {
  readonly code: string;
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** Two errors share a code: a misaligned list, and a second ': ' on a line, which is usually inside a string. */
function hintOf({ code, message }: LibraryError, text: string): string | undefined {
  if (!message.startsWith("Nested mappings")) return hintsByCode[code];
  return isWithoutLineBreaks(text)
    ? "the line breaks are missing: to send a file with curl, use -T file or --data-binary @file instead of -d @file"
    : "quote text that contains ': ', or align this line with its neighbors";
}

/** True for a flow whose line breaks were removed: one line with several keys, each after the indentation of its former line. */
function isWithoutLineBreaks(text: string): boolean {
  const line = text.trimEnd().slice(0, 10_000);
  return !/[\r\n]/.test(line) && (line.match(/(?<! ) {2,}(?:- )?[\w-]+:/g)?.length ?? 0) > 1;
}

/** Errors inside one scalar: the text after it is read correctly. */
const localErrors: ReadonlySet<string> = new Set(["BAD_SCALAR_START", "BAD_DQ_ESCAPE", "TAB_AS_INDENT"]);

/** Omits errors that only follow from another one: after a missing quote, bracket or space, the rest of the text is read with the wrong structure. */
function relevantErrors<E extends { readonly code: string; readonly start: number }>(errors: readonly E[], text: string): readonly E[] {
  const tabs = errors.filter(({ code }) => code === "TAB_AS_INDENT");
  if (tabs.length > 0) return tabs;
  if (isWithoutLineBreaks(text)) return errors.slice(0, 1);
  const sorted = errors.toSorted((one, other) => one.start - other.start);
  const first = sorted.findIndex(({ code }) => !localErrors.has(code));
  return first < 0 ? sorted : sorted.slice(0, first + 1);
}

/** Where an unclosed string starts. The library reports where it ends, which may be many lines below. */
function unclosedQuote({ message, pos: [end] }: LibraryError, tokens: readonly string[], text: string): number | undefined {
  const [, quote] = /^Missing closing (["'])quote$/.exec(message) ?? [];
  if (quote === undefined) return undefined;
  const token = tokens.findLast((candidate) => candidate.startsWith(quote) && text.startsWith(candidate, end - candidate.length));
  return token === undefined ? undefined : end - token.length;
}

/** The first visible character: an error may begin with the whitespace before it. */
function visibleStart(text: string, start: number): number {
  const blank = /[ \t]*/y;
  blank.lastIndex = start;
  const end = start + (blank.exec(text)?.[0].length ?? 0);
  return end < text.length && text[end] !== "\n" ? end : start;
}

/** The library creates an Error for every problem; without stack traces, invalid text costs no more than valid text. */
function parse(tokens: readonly string[], length: number): Document.Parsed {
  const errors = Error as { stackTraceLimit?: number };
  const previousLimit = errors.stackTraceLimit;
  errors.stackTraceLimit = 0;
  try {
    const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    // The composer always returns a document when forced to, and the guard lets only one through.
    const { value } = composer.compose(parseTokens(tokens), true, length).next() as { readonly value: Document.Parsed };
    return value;
  } finally {
    errors.stackTraceLimit = previousLimit;
  }
}

/** Runs the library's parser on existing tokens. */
function* parseTokens(tokens: readonly string[]): ReturnType<Parser["parse"]> {
  const parser = new Parser();
  for (const token of tokens) yield* parser.next(token);
  yield* parser.end();
}

function sentence(message: string): string {
  const short = message.length > 200 ? `${message.slice(0, 200)}…` : message;
  return short.charAt(0).toLowerCase() + short.slice(1);
}
