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
  /** Absent when the text is no YAML we accept; then there is at least one diagnostic. */
  readonly tree: Tree | undefined;
  /** Their codes all start with `yaml-`. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads YAML into a tree with positions. Never throws, whatever the text is, and stays within the limits. */
export function readTree(source: string, limits: Partial<ReadLimits> = {}): ReadResult {
  const bounds = { ...defaultLimits, ...limits };
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const lines = new LineTable(text.length > bounds.bytes ? "" : text, source.length - text.length);
  const plain = readPlainText(text, lines, bounds);
  return plain === undefined ? readAnyText(text, lines, bounds) : { tree: plain, diagnostics: [] };
}

/** As the library reads it: whatever YAML allows. */
export function readAnyText(text: string, lines: LineTable, bounds: ReadLimits): ReadResult {
  const tokens = guard(text, bounds, lines);
  if ("code" in tokens) return { tree: undefined, diagnostics: [tokens] };
  const document = parse(tokens, text.length);
  const diagnostics: Diagnostic[] = [];
  const report = (code: string, message: string, start: number, end: number, hint?: string): void => {
    if (diagnostics.length >= bounds.faults) return;
    diagnostics.push({ code, severity: "error", message, path: "", span: lines.span(start, end), ...(hint === undefined ? {} : { hint }) });
  };
  const told = new Set<number>();
  for (const error of [...document.errors.slice(0, bounds.faults), ...document.warnings.slice(0, bounds.faults)]) {
    // A fault in the indentation is noticed several times over at the same place: the first says most.
    const start = beginOf(text, error.pos[0]);
    if (told.has(start)) continue;
    told.add(start);
    report(`yaml-${error.code.toLowerCase().replaceAll("_", "-")}`, sentence(error.message), start, Math.max(start, error.pos[1]), remedyOf(error));
  }
  if (diagnostics.length > 0) return { tree: undefined, diagnostics };
  const tree = new TreeBuilder(text, lines, bounds, report).build(document.contents);
  return diagnostics.length > 0 ? { tree: undefined, diagnostics } : { tree, diagnostics };
}

/** What to do about the commonest faults. */
const remedies: Readonly<Partial<Record<string, string>>> = {
  BAD_INDENT: "close what was opened on a line above, or indent this line as its neighbours",
  BLOCK_AS_IMPLICIT_KEY: "indent this line as its neighbours",
  BLOCK_IN_FLOW: "close what was opened on a line above",
  MISSING_CHAR: "close what was opened, or write ': ' behind the key",
  MULTILINE_IMPLICIT_KEY: "write ': ' behind the key, or indent this line as its neighbours",
  TAB_AS_INDENT: "indent with blanks",
  UNEXPECTED_TOKEN: "put the text into quotes",
};

/** Two faults share a code: a list out of its column, and a second ': ' on a line, which most often stands in a text. */
const remedyOf = ({ code, message }: { readonly code: string; readonly message: string }): string | undefined =>
  message.startsWith("Nested mappings") ? "put a text that holds ': ' into quotes, or indent this line as its neighbours" : remedies[code];

/** Where something is to be seen: a fault may begin with the blanks before it. */
function beginOf(text: string, start: number): number {
  const blank = /[ \t]*/y;
  blank.lastIndex = start;
  const end = start + (blank.exec(text)?.[0].length ?? 0);
  return end < text.length && text[end] !== "\n" ? end : start;
}

/** The library makes an Error for every fault; without stacks a text full of faults costs no more than a good one. */
function parse(tokens: readonly string[], length: number): Document.Parsed {
  const errors = Error as { stackTraceLimit?: number };
  const before = errors.stackTraceLimit;
  errors.stackTraceLimit = 0;
  try {
    const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    // The composer gives a document in any case when it is told to, and the guard let only one through.
    const { value } = composer.compose(parsed(tokens), true, length).next() as { readonly value: Document.Parsed };
    return value;
  } finally {
    errors.stackTraceLimit = before;
  }
}

/** What the library's own parser makes of tokens that are known already. */
function* parsed(tokens: readonly string[]): ReturnType<Parser["parse"]> {
  const parser = new Parser();
  for (const token of tokens) yield* parser.next(token);
  yield* parser.end();
}

function sentence(message: string): string {
  const short = message.length > 200 ? `${message.slice(0, 200)}…` : message;
  return short.charAt(0).toLowerCase() + short.slice(1);
}
