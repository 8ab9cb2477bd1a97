// The parser's position in the tokens.
import { CompileError } from "@sluice/engine/spi";
import type { Token } from "./groovy-lexer.ts";

export class TokenCursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Looks ahead by this many tokens. */
  ahead(count: number): Token | undefined {
    return this.#tokens[this.#at + count];
  }

  skip(): void {
    this.#at++;
  }

  /** For backtracking with `goTo`. */
  get position(): number {
    return this.#at;
  }

  goTo(position: number): void {
    this.#at = position;
  }

  endsStatement(): boolean {
    return this.peek().kind === "line" || this.peek().kind === "end" || this.is(";") || this.is("}");
  }

  /** Returns the current token without consuming it. */
  peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  is(text: string): boolean {
    return this.peek().kind === "operator" && this.peek().text === text;
  }

  isWord(text: string): boolean {
    return this.peek().kind === "word" && this.peek().text === text;
  }

  takeIf(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }

  takeWordIf(text: string): boolean {
    if (!this.isWord(text)) return false;
    this.#at++;
    return true;
  }

  expect(text: string): void {
    if (!this.takeIf(text)) throw new CompileError("groovy-syntax", `expected '${text}' but found ${formatToken(this.peek())}`, { offset: this.peek().offset });
  }

  word(): string {
    const token = this.peek();
    if (token.kind !== "word") throw this.unexpected();
    this.#at++;
    return token.text;
  }

  skipLines(): void {
    while (this.peek().kind === "line") this.#at++;
  }

  unexpected(): CompileError {
    return new CompileError("groovy-syntax", `unexpected ${formatToken(this.peek())}`, { offset: this.peek().offset });
  }
}

const formatToken = (token: Token): string =>
  token.kind === "end" ? "end of the script" : token.kind === "line" ? "end of the line" : token.kind === "text" ? "string" : `'${token.text}'`;
