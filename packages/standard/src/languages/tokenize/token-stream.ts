// Splits text incrementally. A tokenizer finds one token at a time, so a million lines need no more memory than one line; chunks are buffered
// only until their token is complete.
import { FlowError } from "@sluice/engine/spi";
import { asText, checkListLength, maxTextLength } from "@sluice/engine/values";
import { compileResultType } from "../language-values/result-type.ts";

/** The next token at or after `from`, and the position to continue at. `token` is undefined when text was only skipped. */
export interface Cut {
  readonly token: string | undefined;
  readonly next: number;
}

/**
 * Finds tokens in a string that may grow at its end. Returns undefined when more text is needed or, once it is `complete`, when there are no more
 * tokens. A tokenizer reads one text only and may keep state between calls.
 */
export interface Tokenizer {
  cut(text: string, from: number, complete: boolean): Cut | undefined;
}

export interface TokenOptions {
  /** Maximum number of tokens in a list, which is created synchronously; `split` reads the tokens one by one and has no such limit. */
  readonly maxListLength: number;
  readonly skipFirst: boolean;
  /** How many tokens form a group; 0 for no grouping. */
  readonly group: number;
  joinGroup(tokens: readonly string[]): string;
}

type Chunk = string | Uint8Array;

/** Tokens of a value: a repeatable iterable, or an async one when the value arrives in chunks. */
export function tokensOf(value: unknown, createTokenizer: () => Tokenizer, options: TokenOptions): Iterable<string> | AsyncIterable<string> {
  if (value === null || value === undefined) return [];
  if (typeof value === "object" && Symbol.asyncIterator in value) return new AsyncTokens(value as AsyncIterable<Chunk>, createTokenizer, options);
  if (typeof value === "object" && Symbol.iterator in value && !(value instanceof Uint8Array) && !Array.isArray(value) && !(value instanceof Map))
    return new Tokens(value as Iterable<Chunk>, createTokenizer, options);
  return new Tokens([asText(value)], createTokenizer, options);
}

/** The conversion of tokens to the result type of an expression; without a result type, they stay lazy. */
export function compileTokensType(resultType: string | undefined): (tokens: unknown) => unknown {
  const convert = compileResultType(resultType);
  if (resultType === undefined) return convert;
  return (tokens) => convert(tokens instanceof Tokens ? tokens.toJSON() : tokens);
}

class Tokens implements Iterable<string> {
  readonly #chunks: Iterable<Chunk>;
  readonly #createTokenizer: () => Tokenizer;
  readonly #options: TokenOptions;

  constructor(chunks: Iterable<Chunk>, createTokenizer: () => Tokenizer, options: TokenOptions) {
    this.#chunks = chunks;
    this.#createTokenizer = createTokenizer;
    this.#options = options;
  }

  *[Symbol.iterator](): Generator<string> {
    const isSingleChunk = Array.isArray(this.#chunks) && this.#chunks.length === 1;
    const collector = new Collector(this.#createTokenizer(), this.#options);
    if (isSingleChunk) collector.append((this.#chunks as Chunk[])[0] as Chunk);
    else for (const chunk of this.#chunks) yield* collector.take(chunk);
    yield* collector.finish();
  }

  /** The tokens as a list, for display and storage. */
  toJSON(): string[] {
    const list: string[] = [];
    for (const token of this) {
      checkListLength(list.length, this.#options.maxListLength);
      list.push(token);
    }
    return list;
  }
}

class AsyncTokens implements AsyncIterable<string> {
  readonly #chunks: AsyncIterable<Chunk>;
  readonly #createTokenizer: () => Tokenizer;
  readonly #options: TokenOptions;

  constructor(chunks: AsyncIterable<Chunk>, createTokenizer: () => Tokenizer, options: TokenOptions) {
    this.#chunks = chunks;
    this.#createTokenizer = createTokenizer;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const collector = new Collector(this.#createTokenizer(), this.#options);
    for await (const chunk of this.#chunks) yield* collector.take(chunk);
    yield* collector.finish();
  }
}

/** Feeds chunks to a tokenizer, skips the first token and groups the others. */
class Collector {
  readonly #tokenizer: Tokenizer;
  readonly #options: TokenOptions;
  readonly #decoder = new TextDecoder();
  #text = "";
  #skip: boolean;
  #group: string[] = [];

  constructor(tokenizer: Tokenizer, options: TokenOptions) {
    this.#tokenizer = tokenizer;
    this.#options = options;
    this.#skip = options.skipFirst;
  }

  append(chunk: Chunk): void {
    this.#text += typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true });
  }

  *take(chunk: Chunk): Generator<string> {
    this.append(chunk);
    yield* this.#cutAll(false);
    if (this.#text.length > maxTextLength)
      throw new FlowError("java.lang.IllegalStateException", `size limit: a token is longer than ${maxTextLength} characters`, { code: "limit-size" });
  }

  *finish(): Generator<string> {
    this.#text += this.#decoder.decode();
    yield* this.#cutAll(true);
    if (this.#group.length > 0) yield this.#options.joinGroup(this.#group);
  }

  *#cutAll(complete: boolean): Generator<string> {
    let from = 0;
    for (;;) {
      const cut = this.#tokenizer.cut(this.#text, from, complete);
      if (cut === undefined) break;
      from = cut.next;
      if (cut.token !== undefined) yield* this.#emit(cut.token);
    }
    if (!complete) this.#text = this.#text.slice(from);
  }

  *#emit(token: string): Generator<string> {
    if (this.#skip) {
      this.#skip = false;
    } else if (this.#options.group <= 1) {
      yield token;
    } else {
      this.#group.push(token);
      if (this.#group.length < this.#options.group) return;
      yield this.#options.joinGroup(this.#group);
      this.#group = [];
    }
  }
}
