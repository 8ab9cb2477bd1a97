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
  for (const error of [...document.errors.slice(0, bounds.faults), ...document.warnings.slice(0, bounds.faults)]) {
    // An indentation error is reported several times at the same position: the first is the most precise.
    const start = visibleStart(text, error.pos[0]);
    if (reportedOffsets.has(start)) continue;
    reportedOffsets.add(start);
    report(`yaml-${error.code.toLowerCase().replaceAll("_", "-")}`, sentence(error.message), start, Math.max(start, error.pos[1]), hintOf(error));
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

/** Two errors share a code: a misaligned list, and a second ': ' on a line, which is usually inside a string. */
const hintOf = ({ code, message }: { readonly code: string; readonly message: string }): string | undefined =>
  message.startsWith("Nested mappings") ? "quote text that contains ': ', or align this line with its neighbors" : hintsByCode[code];

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
  const before = errors.stackTraceLimit;
  errors.stackTraceLimit = 0;
  try {
    const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    // The composer always returns a document when forced to, and the guard lets only one through.
    const { value } = composer.compose(parseTokens(tokens), true, length).next() as { readonly value: Document.Parsed };
    return value;
  } finally {
    errors.stackTraceLimit = before;
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
