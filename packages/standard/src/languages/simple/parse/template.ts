// Expression mode: a text in which only functions and the operators that follow them mean something.
import type { SimpleNode } from "./ast.ts";
import { behindFunction, escapeAt, isBlank, isQuote, openingAt, syntaxError } from "./scan.ts";

export interface ParseSettings {
  /** Where the text stands in the whole. */
  readonly offset: number;
  /** True on the right of a chain, where `$param` is the piped value. */
  readonly piped: boolean;
}

const mostOperators = 1000;

/** Reads text as a template: one part keeps its type, several become one text. */
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

  /** `~>`, `?~>` and `?:`, which take the part before them as their left side. */
  #operator(): boolean {
    const operator = this.#operatorAt();
    if (operator === undefined) return false;
    const left = this.#takeLeft();
    if (left === undefined) return false;
    this.#parts.push(operator === "?:" ? this.#elvis(left) : this.#chain(left, operator));
    return true;
  }

  #operatorAt(): "~>" | "?~>" | "?:" | undefined {
    const char = this.#text[this.#at];
    if (char !== "~" && char !== "?") return undefined;
    for (const operator of ["?~>", "~>"] as const) {
      const behind = this.#text[this.#at + operator.length];
      if (this.#text.startsWith(operator, this.#at) && (behind === undefined || isBlank(behind))) return operator;
    }
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
    this.#skipBlanks(operator);
    const right = this.#readFunction(true) ?? this.#readText();
    return { kind: "chain", left, right, nullSafe: operator === "?~>" };
  }

  #elvis(left: SimpleNode): SimpleNode {
    this.#count();
    this.#at += 2;
    this.#skipBlanks("?:");
    let right = this.#readFunction(this.#settings.piped) ?? this.#readQuoted() ?? this.#readText();
    for (let next = this.#chainBehindBlanks(); next !== undefined; next = this.#chainBehindBlanks()) right = this.#chain(right, next);
    return { kind: "elvis", left, right };
  }

  /** Operators nest to the left, so that many of them would exhaust the stack. */
  #count(): void {
    if (++this.#operators > mostOperators) throw syntaxError(`a text may not have more than ${mostOperators} operators`, this.#settings.offset + this.#at);
  }

  #chainBehindBlanks(): "~>" | "?~>" | undefined {
    const start = this.#at;
    while (isBlank(this.#text[this.#at])) this.#at++;
    const operator = this.#operatorAt();
    if (operator === "~>" || operator === "?~>") return operator;
    this.#at = start;
    return undefined;
  }

  #skipBlanks(operator: string): void {
    while (isBlank(this.#text[this.#at])) this.#at++;
    if (this.#at >= this.#text.length)
      throw syntaxError(`nothing stands behind '${operator}'`, this.#settings.offset + this.#at, `write a function such as \${body} behind it`);
  }

  #readQuoted(): SimpleNode | undefined {
    const quote = this.#text[this.#at];
    if (!isQuote(quote)) return undefined;
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote)
      end = openingAt(this.#text, end) > 0 ? behindFunction(this.#text, end, this.#settings.offset) : end + 1;
    if (end >= this.#text.length) return undefined;
    const inner = this.#text.slice(this.#at + 1, end);
    const node = parseTemplate(inner, { offset: this.#settings.offset + this.#at + 1, piped: this.#settings.piped });
    this.#at = end + 1;
    return node;
  }

  #readText(): SimpleNode {
    let text = "";
    while (this.#at < this.#text.length && openingAt(this.#text, this.#at) === 0 && this.#operatorAt() === undefined) {
      const escaped = escapeAt(this.#text, this.#at);
      text += escaped ?? this.#text[this.#at];
      this.#at += escaped === undefined ? 1 : 2;
    }
    const more = this.#at < this.#text.length && this.#operatorAt() !== undefined;
    return { kind: "text", text: more ? text.trimEnd() : text };
  }
}

/** The function at this place with a `++` or `--` that touches it; undefined when none begins here. */
export function readFunction(text: string, at: number, offset: number, piped: boolean): { readonly node: SimpleNode; readonly end: number } | undefined {
  if (text.charCodeAt(at) !== 36) return undefined;
  if (piped && text.startsWith("$param", at) && !/\w/.test(text[at + 6] ?? ""))
    return { node: { kind: "call", source: "body", offset: offset + at, piped }, end: at + 6 };
  const opening = openingAt(text, at);
  if (opening === 0) return undefined;
  const end = behindFunction(text, at, offset);
  const node: SimpleNode = { kind: "call", source: text.slice(at + opening, end - 1), offset: offset + at + opening, piped };
  const suffix = text.slice(end, end + 2);
  const after = text[end + 2];
  if ((suffix === "++" || suffix === "--") && (after === undefined || after === " "))
    return { node: { kind: "increment", by: suffix === "++" ? 1 : -1, operand: node }, end: end + 2 };
  return { node, end };
}
