// `$init{ … }init$` before an expression: variables and functions that are created before the rest is evaluated.
import { endOfFunction, isQuote, openingAt, syntaxError } from "./scan.ts";

export interface InitStatement {
  readonly name: string;
  readonly kind: "variable" | "function";
  readonly value: string;
  /** Offset of the value in the whole text. */
  readonly offset: number;
}

export interface InitBlock {
  readonly statements: readonly InitStatement[];
  /** The text after the block, with `$name` expanded to functions. */
  readonly rest: string;
}

/** The block at the start of an expression; undefined when there is none. */
export function parseInitBlock(text: string): InitBlock | undefined {
  const opening = /^\$init\{[ \t]*\r?\n/.exec(text);
  if (opening === null) return undefined;
  const end = text.indexOf("}init$", opening[0].length);
  if (end < 0) throw syntaxError("the init block is not closed: '}init$' is missing", 0);
  const statements = readStatements(text.slice(0, end), opening[0].length);
  const rest = text.slice(end + 6).replace(/^[ \t]*\r?\n/, "");
  return { statements, rest: expandNames(rest, statements) };
}

function readStatements(text: string, start: number): readonly InitStatement[] {
  const statements: InitStatement[] = [];
  let at = start;
  for (;;) {
    const skipped = /^(?:\s+|\/\/[^\n]*(?:\n|$))*/.exec(text.slice(at))?.[0].length ?? 0;
    at += skipped;
    if (at >= text.length) return statements;
    const head = /^\$([A-Za-z_]\w*)\s+(~?:=)\s+/.exec(text.slice(at));
    if (head === null) throw syntaxError("a line of the init block must read '$name := value;' or '$name ~:= functions;'", at);
    const from = at + head[0].length;
    const end = endOfStatement(text, from);
    statements.push({ name: head[1] as string, kind: head[2] === ":=" ? "variable" : "function", value: text.slice(from, end).trim(), offset: from });
    at = end + 1;
  }
}

/** The semicolon at the end of a line that closes the statement. */
function endOfStatement(text: string, from: number): number {
  let quote: string | undefined;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (openingAt(text, at) > 0) at = endOfFunction(text, at, 0) - 1;
    else if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (isQuote(char)) quote = char;
    else if (char === ";" && /^[ \t]*(?:\/\/[^\n]*)?(?:\r?\n|$)/.test(text.slice(at + 1))) return at;
  }
  throw syntaxError("a statement of the init block must end with ';' at the end of its line", from);
}

/** Longer names first, so that `$name` is not matched as `$n`. */
function expandNames(rest: string, statements: readonly InitStatement[]): string {
  let text = rest;
  const byLength = [...statements].sort((left, right) => right.name.length - left.name.length);
  for (const { name, kind } of byLength) {
    text = kind === "function" ? text.replaceAll(`$${name}()`, `\${function(${name})}`) : text.replaceAll(`$${name}`, `\${variable.${name}}`);
  }
  return text;
}
