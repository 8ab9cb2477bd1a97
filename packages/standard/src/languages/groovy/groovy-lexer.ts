// Groovy text → tokens. Line ends are tokens, because they separate statements; the parser skips them inside expressions.
import { CompileError } from "@sluice/engine/spi";

export type Token = { readonly offset: number; readonly end: number } & (
  | { readonly kind: "word" | "operator"; readonly text: string }
  | { readonly kind: "number"; readonly text: string; readonly value: number | bigint }
  /** A string in parts; a part that is not text is an expression: its source and start position. */
  | { readonly kind: "text"; readonly text: string; readonly parts: readonly TextPart[] }
  | { readonly kind: "line" | "end"; readonly text: "" }
);

const operators = [
  ..."?.[ *. ==~ <=> ... ..< == != <= >= && || ?: ?. =~ ** << += -= *= /= ++ -- -> ..".split(" "),
  ..."+ - * / % < > = ! ? : . , ; ( ) [ ] { }".split(" "),
];
const blanks = /(?:[ \t\r\f]|\\\r?\n|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const word = /[A-Za-z_$][\w$]*/y;
const number = /(?:0[xX][\da-fA-F]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[lLgGdDfFiI]?/y;
const path = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/y;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

type TextPart = string | { readonly source: string; readonly offset: number };

/** The tokens of a script, or of an expression in a string; `base` is the position of the text in the script. */
export function tokenize(text: string, base = 0): readonly Token[] {
  const lexer = new Lexer(text, base);
  const tokens: Token[] = [];
  do tokens.push(lexer.next(tokens.at(-1)));
  while (tokens.at(-1)?.kind !== "end");
  return tokens;
}

class Lexer {
  readonly #text: string;
  readonly #base: number;
  #at = 0;

  constructor(text: string, base: number) {
    this.#text = text;
    this.#base = base;
  }

  next(previous: Token | undefined): Token {
    this.#at += this.#match(blanks)?.length ?? 0;
    const start = this.#at;
    const span = (): { offset: number; end: number } => ({ offset: this.#base + start, end: this.#base + this.#at });
    if (start >= this.#text.length) return { kind: "end", text: "", ...span() };
    const character = this.#text.charAt(start);
    if (character === "\n") {
      this.#at++;
      return { kind: "line", text: "", ...span() };
    }
    if (character === '"' || character === "'" || (character === "/" && startsPattern(previous))) {
      const parts = this.#readText();
      return { kind: "text", text: "", parts, ...span() };
    }
    if (/\d/.test(character)) {
      const digits = this.#match(number) as string;
      this.#at += digits.length;
      return { kind: "number", text: digits, value: numberOf(digits), ...span() };
    }
    const found = this.#match(word) ?? operators.find((operator) => this.#text.startsWith(operator, start));
    if (found === undefined) throw this.#fault(`unexpected '${character}'`, start);
    const kind = /[A-Za-z_$]/.test(character) ? "word" : "operator";
    // `?.[` is read as `?.` and `[`. Groovy's `list?[0]` is not supported: it looks like the start of `test?[a]:b`.
    const isSafeIndex = found === "?.[";
    this.#at += isSafeIndex ? 2 : found.length;
    return { kind, text: isSafeIndex ? "?." : found, ...span() };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0];
  }

  #fault(message: string, offset: number): CompileError {
    return new CompileError("groovy-syntax", message, { offset: this.#base + offset });
  }

  #readText(): readonly TextPart[] {
    const text = this.#text;
    const start = this.#at;
    const quote = ["'''", '"""'].find((three) => text.startsWith(three, start)) ?? text.charAt(start);
    const isTemplate = quote.startsWith('"') || quote === "/";
    const parts: TextPart[] = [];
    let plain = "";
    this.#at += quote.length;
    while (!text.startsWith(quote, this.#at)) {
      const character = text.charAt(this.#at);
      if (this.#at >= text.length || (character === "\n" && quote.length === 1 && quote !== "/"))
        throw this.#fault(`the string that starts with ${quote} is not closed`, start);
      if (character === "\\") plain += this.#readEscape(quote);
      else if (character === "$" && isTemplate && /[{A-Za-z_]/.test(text.charAt(this.#at + 1))) {
        if (plain !== "") parts.push(plain);
        plain = "";
        parts.push(text.charAt(this.#at + 1) === "{" ? this.#readExpression() : this.#readPath());
      } else {
        plain += character;
        this.#at++;
      }
    }
    this.#at += quote.length;
    if (plain !== "" || parts.length === 0) parts.push(plain);
    return parts;
  }

  #readEscape(quote: string): string {
    const letter = this.#text.charAt(this.#at + 1);
    // In a pattern only the slash is escaped; the other backslashes belong to the pattern.
    if (quote === "/") {
      this.#at += letter === "/" ? 2 : 1;
      return letter === "/" ? "/" : "\\";
    }
    const hex = letter === "u" ? /^[\da-fA-F]{4}/.exec(this.#text.slice(this.#at + 2, this.#at + 6))?.[0] : undefined;
    this.#at += hex === undefined ? 2 : 6;
    return hex === undefined ? (escapes[letter] ?? (letter === "\n" ? "" : letter)) : String.fromCharCode(Number.parseInt(hex, 16));
  }

  /** `$name.member` */
  #readPath(): TextPart {
    this.#at++;
    const source = this.#match(path) as string;
    const offset = this.#base + this.#at;
    this.#at += source.length;
    return { source, offset };
  }

  /** `${expression}` */
  #readExpression(): TextPart {
    const text = this.#text;
    const from = this.#at + 2;
    let depth = 1;
    let at = from;
    for (; at < text.length; at++) {
      const character = text.charAt(at);
      if (character === "{") depth++;
      else if (character === "}" && --depth === 0) break;
      else if (character === "'" || character === '"') {
        const closing = closingQuote(text, at);
        if (closing === -1) throw this.#fault("the string is not closed", at);
        at = closing;
      }
    }
    if (depth > 0) throw this.#fault("'${' has no closing '}'", from - 2);
    this.#at = at + 1;
    return { source: text.slice(from, at), offset: this.#base + from };
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === text[from]) return at;
  }
  return -1;
}

/** A slash starts a pattern where a value is expected; after a value, it is the division operator. */
function startsPattern(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "operator") return !/^[)\]}]$/.test(previous.text);
  return previous.kind === "line" || (previous.kind === "word" && /^(?:return|in)$/.test(previous.text));
}

function numberOf(digits: string): number | bigint {
  const plain = digits.replaceAll("_", "").replace(/(?<!^0[xX][\da-fA-F]*)[lLgGdDfFiI]$/, "");
  const value = Number(plain);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^\d+$/.test(plain) ? BigInt(plain) : value;
}
