// Tokenizes expressions. A name may contain one namespace prefix (`inv:Qty`) if the document declares it, so that `a ? b : c` stays a choice.
// Paths may contain hyphens (`Order-No`); in expressions a hyphen subtracts.
import { ExpressionError } from "./expression-tree.ts";

export interface Token {
  readonly kind: "number" | "text" | "name" | "operator" | "end";
  readonly text: string;
  readonly value: unknown;
  readonly at: number;
}

export interface LexerOptions {
  readonly prefixes: ReadonlySet<string>;
  readonly hyphens: boolean;
}

const blank = /\s+/y;
const number = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const name = /[$@]?[\p{L}_][\p{L}\p{N}\p{M}_]*|\$|#text/uy;
const hyphenPart = /-[\p{L}\p{N}_]+/uy;
const prefixPart = /:[\p{L}_][\p{L}\p{N}\p{M}_]*/uy;
const operator = /==|!=|<=|>=|&&|\|\||\?\?|[-+*/%<>!?:.,()[\]=|&]/y;
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "'": "'", '"': '"', "\\": "\\" };

export function tokenize(text: string, options: LexerOptions): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;
  const match = (pattern: RegExp, from: number): string | undefined => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const space = match(blank, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const character = text[at] as string;
    if (character === "'" || character === '"') {
      const { value, end } = readText(text, at);
      tokens.push({ kind: "text", text: text.slice(at, end), value, at });
      at = end;
      continue;
    }
    const digits = match(number, at);
    if (digits !== undefined) {
      tokens.push({ kind: "number", text: digits, value: Number(digits), at });
      at += digits.length;
      continue;
    }
    let word = match(name, at);
    if (word !== undefined) {
      const rest = match(prefixPart, at + word.length);
      if (rest !== undefined && options.prefixes.has(word.replace(/^[$@]/, ""))) word += rest;
      if (options.hyphens && depth === 0)
        for (let part = match(hyphenPart, at + word.length); part !== undefined; part = match(hyphenPart, at + word.length)) word += part;
      tokens.push({ kind: "name", text: word, value: undefined, at });
      at += word.length;
      continue;
    }
    const sign = match(operator, at);
    if (sign === undefined) throw new ExpressionError(`unexpected '${character}'`, text, at);
    if (sign === "[" || sign === "(") depth++;
    if (sign === "]" || sign === ")") depth--;
    tokens.push({ kind: "operator", text: sign, value: undefined, at });
    at += sign.length;
  }
  tokens.push({ kind: "end", text: "the end", value: undefined, at: text.length });
  return tokens;
}

function readText(source: string, start: number): { readonly value: string; readonly end: number } {
  const quote = source[start];
  let value = "";
  for (let at = start + 1; at < source.length; at++) {
    const character = source[at] as string;
    if (character === quote) return { value, end: at + 1 };
    if (character !== "\\") {
      value += character;
      continue;
    }
    const next = source[++at] ?? "";
    const code = /^[0-9a-fA-F]{4}/.exec(source.slice(at + 1, at + 5))?.[0];
    if (next === "u" && code !== undefined) {
      value += String.fromCharCode(Number.parseInt(code, 16));
      at += 4;
    } else if (Object.hasOwn(escapes, next)) value += escapes[next];
    else throw new ExpressionError(`unknown escape '\\${next}'`, source, at - 1);
  }
  throw new ExpressionError("the string is not closed", source, start);
}
