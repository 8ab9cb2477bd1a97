// Parses a statement with the placeholders `#` and `:#name` into the text segments between them. Quoted text and comments are left unchanged. Values never
// become part of the text.
import { CompileError } from "@sluice/engine/spi";
import type { Dialect } from "./database.ts";

export type Parameter =
  | { readonly kind: "position" }
  | { readonly kind: "name"; readonly name: string; readonly isList: boolean }
  | { readonly kind: "expression"; readonly text: string; readonly isList: boolean };

export interface StatementTemplate {
  /** The segments around the parameters: one more than there are parameters. */
  readonly texts: readonly string[];
  readonly parameters: readonly Parameter[];
}

export interface TemplateOptions {
  /** The placeholder; undefined when only `?` marks parameters. */
  readonly placeholder: string | undefined;
  readonly allowNamedParameters: boolean;
}

/** Comments and quoted text: a backslash escapes only in MySQL; dollar quotes are PostgreSQL's. */
const quotedOrComment: Readonly<Record<Dialect, RegExp>> = {
  mysql: /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`|--\s[^\n]*|\/\*[^]*?\*\//y,
  postgres: /(?<=\bE)'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|(?<![\w$])(\$(?:[A-Za-z_]\w*)?\$)[^]*?\1/iy,
  sqlite: /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[^]*?\*\//y,
};

export function parseStatement(text: string, { placeholder, allowNamedParameters }: TemplateOptions, dialect: Dialect): StatementTemplate {
  const texts: string[] = [];
  const parameters: Parameter[] = [];
  const skip = quotedOrComment[dialect];
  let segmentStart = 0;
  let at = 0;
  const marks = placeholder === undefined || placeholder === "" ? ["?"] : [placeholder, "?"];
  const addParameter = (parameter: Parameter, from: number, to: number): void => {
    texts.push(text.slice(segmentStart, from));
    parameters.push(parameter);
    segmentStart = at = to;
  };
  while (at < text.length) {
    skip.lastIndex = at;
    const skipped = skip.exec(text);
    if (skipped !== null) {
      at += skipped[0].length;
      continue;
    }
    const namedMark = text[at] === ":" && text[at - 1] !== ":" && allowNamedParameters ? marks.find((mark) => text.startsWith(mark, at + 1)) : undefined;
    const found = namedMark === undefined ? undefined : namedParameter(text, at + 1 + namedMark.length);
    if (found !== undefined) addParameter(found.parameter, at, found.end);
    else if (placeholder !== undefined && placeholder !== "" && text.startsWith(placeholder, at))
      addParameter({ kind: "position" }, at, at + placeholder.length);
    // In PostgreSQL `?` is a JSON operator.
    else if (text[at] === "?" && dialect !== "postgres") addParameter({ kind: "position" }, at, at + 1);
    else at++;
  }
  texts.push(text.slice(segmentStart));
  return { texts, parameters };
}

function namedParameter(text: string, from: number): { readonly parameter: Parameter; readonly end: number } | undefined {
  const isList = text.startsWith("in:", from);
  const begin = isList ? from + 3 : from;
  if (text.startsWith("${", begin)) {
    const end = closingBrace(text, begin + 1);
    if (end === undefined) throw new CompileError("sql-statement", `the expression at '${text.slice(begin, begin + 20)}' has no closing '}'`);
    return { parameter: { kind: "expression", text: text.slice(begin, end + 1), isList }, end: end + 1 };
  }
  const name = /^[A-Za-z_][\w]*(?:\.[\w]+)*/.exec(text.slice(begin, begin + 200))?.[0];
  return name === undefined ? undefined : { parameter: { kind: "name", name, isList }, end: begin + name.length };
}

function closingBrace(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return at;
  }
  return undefined;
}

/** The text in the database's parameter notation; `lengths` has the number of values for each list parameter. */
export function nativeText({ texts, parameters }: StatementTemplate, dialect: Dialect, lengths: readonly number[]): string {
  let count = 0;
  const mark = dialect === "postgres" ? () => `$${++count}` : () => "?";
  let result = texts[0] as string;
  for (const [index] of parameters.entries()) {
    const length = lengths[index] ?? 1;
    result += length === 1 ? mark() : Array.from({ length }, mark).join(", ");
    result += texts[index + 1] as string;
  }
  return result;
}
