// Plain objects as XML, written incrementally: a body of ten megabytes takes about a second.
import { FlowError } from "@sluice/engine/spi";
import { asText, BlockTextBuilder } from "@sluice/engine/values";
import { maxPayloadBytes, payloadError } from "../formats/format-input.ts";
import { escapeXmlAttribute, escapeXmlText } from "./serialize-xml.ts";
import type { XmlObjectShape } from "./xml-object.ts";

export interface WriteOptions {
  readonly shape: XmlObjectShape;
  /** Indentation per level; undefined writes one line. */
  readonly indent?: number | undefined;
}

const maxDepth = 500;
/** Characters escaped at once. */
const pieceSize = 256 * 1024;

/** Writes any value as `<name>…</name>`; the text is complete when the generator is done. A list becomes one element per item. */
export class XmlWriter {
  // Indentation can make a string much longer.
  readonly #text = new BlockTextBuilder((length) => {
    if (length > maxPayloadBytes) throw payloadError("the body as XML");
  });
  readonly #options: WriteOptions;
  readonly #end: string;

  constructor(options: WriteOptions) {
    this.#options = options;
    this.#end = options.indent === undefined ? "" : "\n";
  }

  text(): string {
    return this.#text.end();
  }

  *steps(name: string, value: unknown, pad = "", depth = 0): Generator<undefined> {
    if (depth > maxDepth)
      throw new FlowError("java.lang.IllegalStateException", `size limit: the value is nested deeper than ${maxDepth} levels`, { code: "limit-size" });
    checkName(name);
    if (Array.isArray(value)) {
      for (const item of value as readonly unknown[]) {
        // Long lists mostly contain short values; a generator for each of them would be too slow.
        if (isShort(item)) this.#text.add(`${pad}<${name}>${escapeXmlText(asText(item))}</${name}>${this.#end}`);
        else yield* this.steps(name, item, pad, depth + 1);
        if (this.#text.isFull) yield this.#text.finishBlock();
      }
      return;
    }
    const entries = entriesOf(value);
    if (entries === undefined) yield* this.#textElement(name, value, pad);
    else yield* this.#element(name, entries, pad, depth);
    if (this.#text.isFull) yield this.#text.finishBlock();
  }

  *#textElement(name: string, value: unknown, pad: string): Generator<undefined> {
    if (value === null || value === undefined) this.#text.add(`${pad}<${name}/>${this.#end}`);
    else {
      this.#text.add(`${pad}<${name}>`);
      yield* this.#escaped(asText(value));
      this.#text.add(`</${name}>${this.#end}`);
    }
  }

  *#element(name: string, entries: readonly (readonly [string, unknown])[], pad: string, depth: number): Generator<undefined> {
    const { attributePrefix, textKey } = this.#options.shape;
    const isAttribute = (key: string): boolean => attributePrefix !== "" && key.startsWith(attributePrefix);
    const attributes = entries.filter(([key]) => isAttribute(key)).map(([key, inner]) => attributeText(key.slice(attributePrefix.length), inner));
    const texts = entries.filter(([key]) => key === textKey && !isAttribute(key)).map(([, inner]) => asText(inner));
    const children = entries.filter(([key, inner]) => key !== textKey && !isAttribute(key) && !isEmptyList(inner));
    const start = `${pad}<${name}${attributes.join("")}`;
    if (children.length === 0 && texts.every((text) => text === "")) {
      this.#text.add(`${start}/>${this.#end}`);
      return;
    }
    this.#text.add(`${start}>`);
    for (const text of texts) yield* this.#escaped(text);
    if (children.length > 0) this.#text.add(this.#end);
    const inside = pad + " ".repeat(this.#options.indent ?? 0);
    for (const [key, inner] of children) yield* this.steps(key, inner, inside, depth + 1);
    this.#text.add(`${children.length > 0 ? pad : ""}</${name}>${this.#end}`);
  }

  *#escaped(text: string): Generator<undefined> {
    for (let at = 0; at < text.length; at += pieceSize) {
      this.#text.add(escapeXmlText(text.slice(at, at + pieceSize)));
      if (text.length > pieceSize) yield this.#text.finishBlock();
    }
  }
}

function isShort(value: unknown): boolean {
  return typeof value === "string" ? value.length < pieceSize : typeof value === "number" || typeof value === "boolean";
}

function attributeText(name: string, value: unknown): string {
  checkName(name);
  return ` ${name}="${escapeXmlAttribute(asText(value))}"`;
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (value instanceof Map) return [...value].map(([key, inner]) => [asText(key), inner as unknown] as const);
  if (typeof value !== "object" || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value) : undefined;
}

/** An empty list, or a list of empty lists only, writes nothing. */
function isEmptyList(value: unknown, depth = 0): boolean {
  return Array.isArray(value) && depth <= maxDepth && value.every((item) => isEmptyList(item, depth + 1));
}

function checkName(name: string): void {
  if (/^[\p{L}_][\p{L}\p{N}\p{M}._-]*(?::[\p{L}_][\p{L}\p{N}\p{M}._-]*)?$/u.test(name)) return;
  throw new FlowError("java.lang.IllegalArgumentException", `'${name}' cannot be the name of an XML element or attribute: rename the key first`, {
    code: "xml-name",
  });
}
