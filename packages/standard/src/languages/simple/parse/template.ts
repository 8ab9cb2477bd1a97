// Expression mode: text in which only functions and the operators after them are interpreted.
import type { SimpleNode } from "./ast.ts";
import { endOfFunction, escapeAt, isBlank, isQuote, openingAt, syntaxError } from "./scan.ts";

export interface ParseSettings {
  /** Offset of this text in the whole expression. */
  readonly offset: number;
  /** True on the right of a chain, where `$param` is the piped value. */
  readonly piped: boolean;
}

const maxOperators = 1000;

/** Parses text as a template: a single part keeps its type, several parts become one string. */
export function parseTemplate(text: string, settings: ParseSettings): SimpleNode {
  return new TemplateParser(text, settings).parse();
}

class TemplateParser {
  readonly #text: string;
  readonly #settings: ParseSettings;
  readonly #parts: SimpleNode[] = [];
  #pending = "";
  #at = 0;
  #operators = 0;

  constructor(text: string, settings: ParseSettings) {
    this.#text = text;
    this.#settings = settings;
  }

  parse(): SimpleNode {
    while (this.#at < this.#text.length) if (!this.#function() && !this.#operator()) this.#character();
    this.#flush();
    if (this.#parts.length === 1) return this.#parts[0] as SimpleNode;
    return this.#parts.length === 0 ? { kind: "text", text: "" } : { kind: "template", parts: this.#parts };
  }

  #flush(): void {
    if (this.#pending !== "") this.#parts.push({ kind: "text", text: this.#pending });
    this.#pending = "";
  }

  #character(): void {
    const escaped = escapeAt(this.#text, this.#at);
    this.#pending += escaped ?? this.#text[this.#at];
    this.#at += escaped === undefined ? 1 : 2;
  }

  #function(): boolean {
    const node = this.#readFunction(this.#settings.piped);
    if (node === undefined) return false;
    this.#flush();
    this.#parts.push(node);
    return true;
  }

  #readFunction(piped: boolean): SimpleNode | undefined {
    const read = readFunction(this.#text, this.#at, this.#settings.offset, piped);
    if (read === undefined) return undefined;
    this.#at = read.end;
    return read.node;
  }

  /** `~>`, `?~>` and `?:`, which use the part before them as their left side. */
  #operator(): boolean {
    const operator = this.#operatorAt();
    if (operator === undefined) return false;
    const left = this.#takeLeft();
    if (left === undefined) {
      if (operator === "?:") return false;
      throw this.#fault(`'${operator}' needs a value on its left`, `add a function such as \${body} before it`);
    }
    this.#parts.push(operator === "?:" ? this.#elvis(left) : this.#chain(left, operator));
    return true;
  }

  #operatorAt(): "~>" | "?~>" | "?:" | undefined {
    const char = this.#text[this.#at];
    if (char !== "~" && char !== "?") return undefined;
    for (const operator of ["?~>", "~>"] as const) if (this.#text.startsWith(operator, this.#at)) return operator;
    return this.#at > 0 && this.#text[this.#at - 1] === " " && this.#text.startsWith("?: ", this.#at) ? "?:" : undefined;
  }

  #takeLeft(): SimpleNode | undefined {
    if (this.#pending.trim() === "") {
      const left = this.#parts.pop();
      if (left !== undefined) this.#pending = "";
      return left;
    }
    const left: SimpleNode = { kind: "text", text: this.#pending.trimEnd() };
    this.#pending = "";
    return left;
  }

  #chain(left: SimpleNode, operator: "~>" | "?~>"): SimpleNode {
    this.#count();
    this.#at += operator.length;
    if (this.#at < this.#text.length && !isBlank(this.#text[this.#at])) throw this.#fault(`'${operator}' needs a space after it`);
    this.#skipBlanks(operator);
    const right = this.#readFunction(true) ?? this.#readLiteral(operator);
    this.#expectBlank(operator);
    return { kind: "chain", left, right, nullSafe: left.kind === "chain" ? left.nullSafe : operator === "?~>" };
  }

  #elvis(left: SimpleNode): SimpleNode {
    this.#count();
    this.#at += 2;
    this.#skipBlanks("?:");
    let right = this.#readFunction(this.#settings.piped) ?? this.#readQuoted() ?? this.#readLiteral("?:");
    this.#expectBlank("?:");
    for (let next = this.#chainAfterBlanks(); next !== undefined; next = this.#chainAfterBlanks()) right = this.#chain(right, next);
    return { kind: "elvis", left, right };
  }

  /** Operators are left-associative, so a long chain would exhaust the stack. */
  #count(): void {
    if (++this.#operators > maxOperators) throw this.#fault(`the text has more than ${maxOperators} operators`);
  }

  #chainAfterBlanks(): "~>" | "?~>" | undefined {
    const start = this.#at;
    while (isBlank(this.#text[this.#at])) this.#at++;
    const operator = this.#operatorAt();
    if (operator === "~>" || operator === "?~>") return operator;
    this.#at = start;
    return undefined;
  }

  #skipBlanks(operator: string): void {
    while (isBlank(this.#text[this.#at])) this.#at++;
    if (this.#at >= this.#text.length) throw this.#fault(`a value is missing after '${operator}'`, `add a function such as \${body} after it`);
  }

  #readQuoted(): SimpleNode | undefined {
    const quote = this.#text[this.#at];
    if (!isQuote(quote)) return undefined;
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote)
      end = openingAt(this.#text, end) > 0 ? endOfFunction(this.#text, end, this.#settings.offset) : end + 1;
    if (end >= this.#text.length) return undefined;
    const inner = this.#text.slice(this.#at + 1, end);
    const node = parseTemplate(inner, { offset: this.#settings.offset + this.#at + 1, piped: this.#settings.piped });
    this.#at = end + 1;
    return node;
  }

  /** A literal on the right of an operator; numbers, booleans and null are text in a template. */
  #readLiteral(operator: string): SimpleNode {
    const literal = /^(?:'[^']*'|"[^"]*"|\d[\d.,]*|true|false|null)(?=\s|$)/.exec(this.#text.slice(this.#at))?.[0];
    if (literal === undefined) {
      const word = /^\S{1,30}/.exec(this.#text.slice(this.#at))?.[0] ?? "";
      throw this.#fault(`'${operator}' cannot be followed by '${word}'`, "use a function such as ${body} or quoted text after it");
    }
    this.#at += literal.length;
    return { kind: "text", text: literal };
  }

  /** Text after the right side of an operator must be separated from it. */
  #expectBlank(operator: string): void {
    if (this.#at < this.#text.length && !isBlank(this.#text[this.#at])) throw this.#fault(`a space is missing after the right side of '${operator}'`);
  }

  #fault(message: string, hint?: string): Error {
    return syntaxError(message, this.#settings.offset + this.#at, hint);
  }
}

/** The function at this position with an adjacent `++` or `--`; undefined when none starts here. */
export function readFunction(text: string, at: number, offset: number, piped: boolean): { readonly node: SimpleNode; readonly end: number } | undefined {
  if (text.charCodeAt(at) !== 36) return undefined;
  if (piped && text.startsWith("$param", at) && !/\w/.test(text[at + 6] ?? ""))
    return { node: { kind: "call", source: "body", offset: offset + at, piped }, end: at + 6 };
  const opening = openingAt(text, at);
  if (opening === 0) return undefined;
  const end = endOfFunction(text, at, offset);
  const node: SimpleNode = { kind: "call", source: text.slice(at + opening, end - 1), offset: offset + at + opening, piped };
  const suffix = text.slice(end, end + 2);
  const after = text[end + 2];
  if ((suffix === "++" || suffix === "--") && (after === undefined || after === " "))
    return { node: { kind: "increment", by: suffix === "++" ? 1 : -1, operand: node }, end: end + 2 };
  return { node, end };
}
