import { CompileError } from "@sluice/engine/spi";

export interface Token {
  readonly kind: "punctuation" | "word" | "field" | "variable" | "format" | "number" | "quote" | "end";
  readonly text: string;
  readonly offset: number;
}

const blanks = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const rules: readonly (readonly [Token["kind"], RegExp])[] = [
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["field", /\.[A-Za-z_]\w*/y],
  ["variable", /\$(?:__loc__|(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)/y],
  ["format", /@[A-Za-z_]\w*/y],
  ["word", /(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*/y],
  ["quote", /"/y],
  ["punctuation", /\?\/\/|\/\/=|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[.[\](){}|,:;=<>+\-*/%?]/y],
];

/** Tokens of a jq program, read one at a time, because the parser reads the content of strings itself. */
export class JqLexer {
  readonly text: string;
  position = 0;
  #ahead: Token | undefined = undefined;

  constructor(text: string) {
    this.text = text;
  }

  peek(): Token {
    this.#ahead ??= this.#read();
    return this.#ahead;
  }

  take(): Token {
    const token = this.peek();
    this.#ahead = undefined;
    return token;
  }

  /** True when the next token is this punctuation or word. */
  at(text: string): boolean {
    const token = this.peek();
    return token.text === text && (token.kind === "punctuation" || token.kind === "word");
  }

  takeIf(text: string): boolean {
    if (!this.at(text)) return false;
    this.take();
    return true;
  }

  /** Reads `?//` as `?` and `//`, which is its meaning outside patterns; the `//` becomes the next token. */
  splitAlternative(): void {
    const token = this.peek();
    this.#ahead = { kind: "punctuation", text: "//", offset: token.offset + 1 };
  }

  expect(text: string): void {
    if (!this.takeIf(text)) {
      const token = this.peek();
      throw this.error(token.kind === "end" ? `'${text}' is missing at the end` : `expected '${text}' but found '${token.text}'`, token.offset);
    }
  }

  /** Reads literal text inside a string up to its closing quote (`ended`) or to the `\(` of an interpolation. */
  stringPiece(): { readonly text: string; readonly ended: boolean } {
    let text = "";
    for (;;) {
      const character = this.text.charAt(this.position++);
      if (character === "") throw this.error("the string is not closed", this.text.length);
      if (character === '"') return { text, ended: true };
      if (character !== "\\") {
        text += character;
        continue;
      }
      const escape = this.text.charAt(this.position++);
      if (escape === "(") return { text, ended: false };
      text += this.#escape(escape);
    }
  }

  #escape(character: string): string {
    if (character === "u") {
      const code = this.text.slice(this.position, this.position + 4);
      if (!/^[0-9a-fA-F]{4}$/.test(code)) throw this.error("\\u needs four hexadecimal digits");
      this.position += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const index = 'ntrbf/"\\'.indexOf(character);
    if (index < 0 || character === "") throw this.error(`'\\${character}' is not a valid escape`);
    return '\n\t\r\b\f/"\\'.charAt(index);
  }

  #read(): Token {
    blanks.lastIndex = this.position;
    blanks.exec(this.text);
    this.position = Math.max(this.position, blanks.lastIndex);
    const offset = this.position;
    if (offset >= this.text.length) return { kind: "end", text: "", offset };
    for (const [kind, rule] of rules) {
      rule.lastIndex = offset;
      const found = rule.exec(this.text);
      if (found === null) continue;
      this.position += found[0].length;
      return { kind, text: found[0], offset };
    }
    throw this.error(`unexpected '${this.text.charAt(offset)}'`);
  }

  error(message: string, offset = this.position): CompileError {
    return new CompileError("jq-syntax", `jq: ${message}`, { offset });
  }
}
