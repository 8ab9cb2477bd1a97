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
    return this.next().kind === "line" || this.next().kind === "end" || this.is(";") || this.is("}");
  }

  next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  is(text: string): boolean {
    return this.next().kind === "operator" && this.next().text === text;
  }

  isWord(text: string): boolean {
    return this.next().kind === "word" && this.next().text === text;
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }

  takeWord(text: string): boolean {
    if (!this.isWord(text)) return false;
    this.#at++;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) throw new CompileError("groovy-syntax", `expected '${text}' but found ${formatToken(this.next())}`, { offset: this.next().offset });
  }

  word(): string {
    const token = this.next();
    if (token.kind !== "word") throw this.unexpected();
    this.#at++;
    return token.text;
  }

  skipLines(): void {
    while (this.next().kind === "line") this.#at++;
  }

  unexpected(): CompileError {
    return new CompileError("groovy-syntax", `unexpected ${formatToken(this.next())}`, { offset: this.next().offset });
  }
}

const formatToken = (token: Token): string =>
  token.kind === "end" ? "end of the script" : token.kind === "line" ? "end of the line" : token.kind === "text" ? "string" : `'${token.text}'`;
