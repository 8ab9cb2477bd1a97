// Scans XML tag by tag and extracts the elements of a path. Only the open elements and the current token are in memory; entities and document types
// are skipped, never resolved.
import { FlowError } from "@sluice/engine/spi";
import { readDeclarations, tagEnd, withDeclarations } from "../tokenize/element-tokenizer.ts";
import type { Cut, Tokenizer } from "../tokenize/token-stream.ts";
import { matchesPath, type NamedElement, type PathStep } from "./path-steps.ts";

/** i: with inherited namespaces declared; w: wrapped in its ancestors; u: its content; t: its text. */
export type TokenMode = "i" | "w" | "u" | "t";

interface OpenElement extends NamedElement {
  readonly name: string;
  readonly tag: string;
  readonly declarations: readonly (readonly [string, string])[];
}

interface Token {
  readonly start: number;
  readonly contentStart: number;
  readonly depth: number;
}

const maxDepth = 1000;
/** Maximum number of declarations, because every token may contain all of them. */
const maxDeclarations = 1000;
/**
 * Maximum number of tags that are skipped in search of the next element, because the search cannot be interrupted. Comments and similar markup are
 * skipped faster.
 */
const maxSkipped = 150_000;
const workOfOtherMarkup = 0.2;

export class PathTokenizer implements Tokenizer {
  readonly #path: readonly PathStep[];
  readonly #mode: TokenMode;
  readonly #openElements: OpenElement[] = [];
  /** Declarations of the open elements: by attribute, the declared values, innermost last. */
  readonly #namespaces = new Map<string, string[]>();
  #declared = 0;
  #token: Token | undefined = undefined;
  /** How far the text was read, relative to the position that `cut` last returned. */
  #read = 0;
  #skipped = 0;

  constructor(path: readonly PathStep[], mode: TokenMode) {
    this.#path = path;
    this.#mode = mode;
  }

  cut(text: string, from: number, complete: boolean): Cut | undefined {
    let at = from + this.#read;
    for (;;) {
      const start = text.indexOf("<", at);
      const end = start < 0 ? -1 : markupEnd(text, start);
      if (end < 0) {
        this.#read = at - from;
        if (complete && start >= 0) throw malformedXml("a tag is not closed");
        if (complete && this.#openElements.length > 0) throw malformedXml(`<${this.#openElements.at(-1)?.name ?? ""}> is not closed`);
        return this.#release(from, at);
      }
      at = end + 1;
      const token = this.#processMarkup(text, start, end, from);
      if (token === undefined) {
        this.#skipTag(text.charCodeAt(start + 1));
        continue;
      }
      this.#skipped = 0;
      this.#read = 0;
      return { token, next: at };
    }
  }

  #skipTag(second: number): void {
    this.#skipped += second === exclamation || second === question ? workOfOtherMarkup : 1;
    if (this.#skipped > maxSkipped)
      throw new FlowError("java.lang.IllegalStateException", `time limit: xtokenize skips at most ${maxSkipped} tags between two matching elements`, {
        code: "limit-time",
      });
  }

  /** Releases text outside a token, which is no longer needed. */
  #release(from: number, at: number): Cut | undefined {
    if (this.#token !== undefined || at <= from) return undefined;
    this.#read = 0;
    return { token: undefined, next: at };
  }

  /** Positions in `#token` are relative to `from`, where the text is cut off. */
  #processMarkup(text: string, start: number, end: number, from: number): string | undefined {
    const second = text.charAt(start + 1);
    if (second === "!" || second === "?") return undefined;
    if (second === "/") return this.#close(text, start, end, from);
    const tag = text.slice(start, end + 1);
    const isEmpty = tag.endsWith("/>");
    if (this.#openElements.length >= maxDepth) throw malformedXml(`it is nested deeper than ${maxDepth} elements`);
    this.#openElement(tag);
    if (this.#token === undefined && matchesPath(this.#path, this.#openElements))
      this.#token = { start: start - from, contentStart: end + 1 - from, depth: this.#openElements.length };
    return isEmpty ? this.#end(text, end + 1, end + 1, from) : undefined;
  }

  #close(text: string, start: number, end: number, from: number): string | undefined {
    const name = text.slice(start + 2, end).trim();
    const element = this.#openElements.at(-1);
    if (element?.name !== name) throw malformedXml(element === undefined ? `</${name}> has no start tag` : `expected </${element.name}>, found </${name}>`);
    return this.#end(text, start, end + 1, from);
  }

  #end(text: string, contentEnd: number, end: number, from: number): string | undefined {
    const token = this.#token;
    const depth = this.#openElements.length;
    if (token === undefined || token.depth !== depth) {
      this.#closeElement();
      return undefined;
    }
    this.#token = undefined;
    const element = text.slice(token.start + from, end);
    const content = text.slice(token.contentStart + from, contentEnd);
    this.#closeElement();
    return this.#render(element, content, this.#openElements);
  }

  #render(element: string, content: string, ancestors: readonly OpenElement[]): string {
    if (this.#mode === "u") return content;
    if (this.#mode === "t") return textOf(content);
    if (this.#mode === "w")
      return (
        ancestors.map(({ tag }) => tag).join("") +
        element +
        ancestors
          .map(({ name }) => `</${name}>`)
          .toReversed()
          .join("")
      );
    return withDeclarations(element, this.#inherited());
  }

  #openElement(tag: string): void {
    const name = /^<([^\s/>]+)/.exec(tag)?.[1];
    if (name === undefined) throw malformedXml(`'${tag.slice(0, 40)}' is not a valid tag`);
    const declarations = tag.includes("xmlns") ? readDeclarations(tag, maxDeclarations + 1) : [];
    const colon = name.indexOf(":");
    const prefix = colon < 0 ? "xmlns" : `xmlns:${name.slice(0, colon)}`;
    if ((this.#declared += declarations.length) > maxDeclarations)
      throw malformedXml(`more than ${maxDeclarations} namespaces are declared around one element`);
    for (const [attribute, value] of declarations) {
      const values = this.#namespaces.get(attribute);
      if (values === undefined) this.#namespaces.set(attribute, [value]);
      else values.push(value);
    }
    const namespace = this.#namespaces.get(prefix)?.at(-1)?.slice(1, -1) ?? "";
    this.#openElements.push({ name, tag, declarations, local: name.slice(colon + 1), namespace });
  }

  #closeElement(): void {
    const { declarations = [] } = this.#openElements.pop() ?? {};
    this.#declared -= declarations.length;
    for (const [attribute] of declarations) {
      const values = this.#namespaces.get(attribute);
      if (values?.length === 1) this.#namespaces.delete(attribute);
      else values?.pop();
    }
  }

  /** Declarations of the open elements; for each prefix, the innermost one applies. */
  #inherited(): readonly (readonly [string, string])[] {
    return [...this.#namespaces].map(([attribute, values]) => [attribute, values.at(-1) as string]);
  }
}

const exclamation = 0x21;
const question = 0x3f;
const ends: readonly (readonly [string, string])[] = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
];

/** The end of the markup that starts here; -1 when more text is needed. */
function markupEnd(text: string, start: number): number {
  const second = text.charCodeAt(start + 1);
  if (second !== exclamation && second !== question) return tagEnd(text, start);
  for (const [opening, closing] of ends) {
    if (!text.startsWith(opening, start)) continue;
    const end = text.indexOf(closing, start + opening.length);
    return end < 0 ? -1 : end + closing.length - 1;
  }
  // Too short to distinguish a comment from another declaration.
  if (text.startsWith("<!", start) && text.length - start < 9) return -1;
  if (text.startsWith("<!DOCTYPE", start)) {
    const subset = text.indexOf("[", start);
    const close = text.indexOf(">", start);
    if (subset >= 0 && close >= 0 && subset < close) {
      const end = text.indexOf("]", subset);
      return end < 0 ? -1 : text.indexOf(">", end);
    }
    return close;
  }
  return tagEnd(text, start);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The text of an element's content: without tags, comments and instructions, with entities and character references resolved. */
function textOf(content: string): string {
  return content
    .split(/(<!\[CDATA\[[^]*?\]\]>)/)
    .map((part) => (part.startsWith("<![CDATA[") ? part.slice(9, -3) : readText(part.replaceAll(/<!--[^]*?-->|<\?[^]*?\?>|<[^>]*>/g, ""))))
    .join("");
}

function readText(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));/g,
    (all, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
      if (name !== undefined) return Object.hasOwn(entities, name) ? (entities[name] as string) : all;
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    },
  );
}

function malformedXml(why: string): FlowError {
  return new FlowError("org.apache.camel.ExpressionEvaluationException", `xtokenize: the XML is not well-formed: ${why}`, {
    code: "invalid-xml",
    details: { clientFault: true },
  });
}
