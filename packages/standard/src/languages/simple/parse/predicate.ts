// Predicate mode: functions, literals and operators; anything else outside quotes is an error.
import type { ComparisonName, SimpleNode } from "./ast.ts";
import { endOfFunction, hasFunction, isBlank, isQuote, openingAt, syntaxError } from "./scan.ts";
import { parseTemplate, readFunction, type ParseSettings } from "./template.ts";

interface Operator {
  readonly text: string;
  readonly name: ComparisonName;
  readonly negated: boolean;
}

const spellings: Readonly<Record<ComparisonName, readonly string[]>> = {
  "==": ["=="],
  "=~": ["=~"],
  ">=": [">="],
  ">": [">"],
  "<=": ["<="],
  "<": ["<"],
  contains: ["contains"],
  "~~": ["~~"],
  in: ["in"],
  range: ["range"],
  regex: ["regex"],
  is: ["is"],
  startsWith: ["startsWith", "starts with"],
  endsWith: ["endsWith", "ends with"],
};
const negations: Readonly<Partial<Record<ComparisonName, readonly string[]>>> = {
  "==": ["!="],
  "=~": ["!=~"],
  contains: ["!contains", "not contains"],
  "~~": ["!~~"],
  in: ["!in", "not in"],
  range: ["!range", "not range"],
  regex: ["!regex", "not regex"],
  is: ["!is", "not is"],
  startsWith: ["!startsWith", "not startsWith", "!starts with"],
  endsWith: ["!endsWith", "not endsWith", "!ends with"],
};

/** Every comparison in every spelling, the longest first. */
export const comparisons: readonly Operator[] = (Object.keys(spellings) as ComparisonName[])
  .flatMap((name) => [
    ...spellings[name].map((text) => ({ text, name, negated: false })),
    ...(negations[name] ?? []).map((text) => ({ text, name, negated: true })),
  ])
  .sort((left, right) => right.text.length - left.text.length);

const maxOperators = 1000;

/** Parses text as a predicate; empty text is false. */
export function parsePredicate(text: string, settings: ParseSettings): SimpleNode {
  return new PredicateParser(text, settings).parse();
}

class PredicateParser {
  readonly #text: string;
  readonly #settings: ParseSettings;
  #at = 0;
  #operators = 0;

  constructor(text: string, settings: ParseSettings) {
    this.#text = text;
    this.#settings = settings;
  }

  parse(): SimpleNode {
    this.#skipBlanks();
    if (this.#at >= this.#text.length) return { kind: "value", value: false, decimals: false };
    const node = this.#logic();
    if (node.kind === "increment") throw this.#fault("++ or -- alone is not a condition: compare its result with a value");
    return node;
  }

  #logic(): SimpleNode {
    let left = this.#elvis();
    for (;;) {
      const blank = isBlank(this.#text[this.#at]);
      this.#skipBlanks();
      if (this.#at >= this.#text.length) return left;
      const sign = this.#text.slice(this.#at, this.#at + 2);
      if (sign === "&&" || sign === "||") {
        if (!blank || !isBlank(this.#text[this.#at + 2])) throw this.#fault(`'${sign}' needs a space on both sides`);
        this.#allowInLogic(left, sign);
        this.#at += 2;
        this.#skipBlanks();
        const right = this.#elvis();
        this.#allowInLogic(right, sign);
        left = { kind: "logic", operator: sign, left, right };
      } else if (blank && (openingAt(this.#text, this.#at) > 0 || isQuote(this.#text[this.#at]))) {
        // Two adjacent predicates must both be true.
        left = { kind: "logic", operator: "&&", left, right: this.#elvis() };
      } else throw this.#unexpected();
    }
  }

  #allowInLogic(node: SimpleNode, sign: string): void {
    if (node.kind === "compare" || node.kind === "logic" || node.kind === "call") return;
    throw this.#fault(`'${sign}' needs a comparison or a function on both sides`);
  }

  #elvis(): SimpleNode {
    let left = this.#ternary();
    while (this.#takeSpaced("?:")) left = { kind: "elvis", left, right: this.#chain(false) };
    return left;
  }

  /** Ternaries are left-associative, like all operators: the previous one is the condition of the next. */
  #ternary(): SimpleNode {
    let condition = this.#comparison(true);
    while (this.#takeSpaced("?")) {
      this.#count();
      const yes = this.#comparison(false);
      if (!this.#takeSpaced(":")) throw this.#fault("'?' needs a matching ' : ' with a space on both sides");
      condition = { kind: "ternary", condition, yes, no: this.#comparison(false) };
    }
    return condition;
  }

  #comparison(leftSide: boolean): SimpleNode {
    let left = this.#chain(leftSide);
    for (let operator = this.#takeComparison(); operator !== undefined; operator = this.#takeComparison()) {
      const offset = this.#settings.offset + this.#at;
      const right = operator.name === "regex" && isQuote(this.#text[this.#at]) ? this.#quoted(true) : this.#chain(false);
      left = { kind: "compare", operator: operator.name, negated: operator.negated, left, right, offset };
    }
    return left;
  }

  #chain(leftSide: boolean): SimpleNode {
    let left = this.#operand(leftSide, this.#settings.piped);
    for (;;) {
      const start = this.#at;
      this.#skipBlanks();
      const sign = this.#text.startsWith("?~>", this.#at) ? "?~>" : "~>";
      if (!this.#text.startsWith(sign, this.#at)) {
        this.#at = start;
        return left;
      }
      const nullSafe = left.kind === "chain" ? left.nullSafe : sign === "?~>";
      this.#count();
      this.#at += sign.length;
      if (!isBlank(this.#text[this.#at])) throw this.#fault(`a space and a function must follow '${sign}'`);
      this.#skipBlanks();
      left = { kind: "chain", left, right: this.#operand(false, true), nullSafe };
    }
  }

  #operand(leftSide: boolean, piped: boolean): SimpleNode {
    const read = readFunction(this.#text, this.#at, this.#settings.offset, piped);
    if (read !== undefined) {
      this.#at = read.end;
      return read.node;
    }
    if (isQuote(this.#text[this.#at])) return this.#quoted(false);
    const word = /^(?:-?\d+(?:\.\d+)?|true|false|null)(?=\s|$)/.exec(this.#text.slice(this.#at, this.#at + 400))?.[0];
    if (word === undefined) throw this.#unexpected();
    const isBoolean = word === "true" || word === "false";
    if (leftSide && !isBoolean)
      throw this.#fault(
        `'${word}' cannot be on the left of a comparison`,
        word === "null" ? "write the function on the left" : `quote it ('${word}') or write the function on the left`,
      );
    this.#at += word.length;
    return { kind: "value", value: word === "null" ? null : isBoolean ? word === "true" : Number(word), decimals: word.includes(".") };
  }

  #quoted(raw: boolean): SimpleNode {
    const quote = this.#text[this.#at] as string;
    const start = this.#at + 1;
    let end = start;
    while (end < this.#text.length && this.#text[end] !== quote)
      end = !raw && openingAt(this.#text, end) > 0 ? endOfFunction(this.#text, end, this.#settings.offset) : end + 1;
    if (end >= this.#text.length) throw syntaxError(`the quote ${quote} is not closed`, this.#settings.offset + this.#at);
    const source = this.#text.slice(start, end);
    this.#at = end + 1;
    return { kind: "quoted", source, content: raw || !hasFunction(source) ? { kind: "text", text: source } : this.#quotedTemplate(source, start) };
  }

  /** Inside quotes, functions are evaluated but escapes and operators are not. */
  #quotedTemplate(source: string, start: number): SimpleNode {
    const parts: SimpleNode[] = [];
    let from = 0;
    for (let at = 0; at < source.length;) {
      if (openingAt(source, at) === 0) {
        at++;
        continue;
      }
      if (at > from) parts.push({ kind: "text", text: source.slice(from, at) });
      const end = endOfFunction(source, at, this.#settings.offset + start);
      parts.push(parseTemplate(source.slice(at, end), { offset: this.#settings.offset + start + at, piped: this.#settings.piped }));
      from = at = end;
    }
    if (from < source.length) parts.push({ kind: "text", text: source.slice(from) });
    return { kind: "template", parts };
  }

  #takeComparison(): Operator | undefined {
    const start = this.#at;
    this.#count();
    this.#skipBlanks();
    if (this.#text[this.#at - 1] === " " && start < this.#at) {
      const found = comparisons.find(({ text }) => this.#text.startsWith(text, this.#at) && this.#text[this.#at + text.length] === " ");
      if (found === undefined && comparisons.some(({ text }) => this.#text.slice(this.#at) === text))
        throw this.#fault(`a value is missing after '${this.#text.slice(this.#at)}'`);
      if (found !== undefined) {
        this.#at += found.text.length;
        this.#skipBlanks();
        return found;
      }
    }
    this.#at = start;
    return undefined;
  }

  /** Consumes a sign that needs a space on both sides. */
  #takeSpaced(sign: string): boolean {
    const start = this.#at;
    this.#skipBlanks();
    if (this.#at > start && this.#text[this.#at - 1] === " " && this.#text.startsWith(`${sign} `, this.#at)) {
      this.#at += sign.length;
      this.#skipBlanks();
      return true;
    }
    this.#at = start;
    return false;
  }

  /** Operators are left-associative, so a long chain would exhaust the stack. */
  #count(): void {
    if (++this.#operators > maxOperators) throw this.#fault(`the condition has more than ${maxOperators} operators`);
  }

  #skipBlanks(): void {
    while (isBlank(this.#text[this.#at])) this.#at++;
  }

  #fault(message: string, hint?: string): Error {
    return syntaxError(message, this.#settings.offset + this.#at, hint);
  }

  #unexpected(): Error {
    if (this.#at >= this.#text.length) return this.#fault("the condition ends where a value is expected");
    const word = /^\S{1,30}/.exec(this.#text.slice(this.#at))?.[0] ?? "";
    return this.#fault(`unexpected '${word}'`, "quote text as 'text', write functions as ${…}, and put a space on both sides of an operator");
  }
}
