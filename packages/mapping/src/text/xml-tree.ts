// XML as data: an element with only text is that text; any other is an object with `@attribute`, `#text` and its children by name, repeated
// names as a list. Comments and processing instructions are ignored.
import {
  scanXml,
  scanXmlIncrementally,
  setEntry,
  xmlnsNamespace,
  type XmlAttribute,
  type XmlHandler,
  type XmlLimits,
  type XmlName,
} from "@sluice/engine/values";
import type { Incremental } from "./incremental.ts";

const limits: XmlLimits = { maxCharacters: 64 * 1024 * 1024, maxDepth: 500, maxElements: 2_000_000, maxAttributes: 1000 };

export type XmlData = string | { readonly [name: string]: XmlData | readonly XmlData[] };

/** Maps an XML name to a key; supplied by the caller, because prefixes belong to the mapping document. */
export type NameOf = (name: XmlName) => string;

interface OpenElement {
  readonly name: string;
  readonly element: Record<string, unknown>;
  text: string;
  isTextOnly: boolean;
}

export interface XmlTree {
  readonly name: string;
  readonly value: XmlData;
}

export function parseXmlTree(source: string, nameOf: NameOf): XmlTree {
  const builder = new TreeBuilder(nameOf);
  scanXml(source, limits, builder);
  return builder.root as XmlTree;
}

export function* parseXmlTreeIncrementally(source: string, nameOf: NameOf): Incremental<XmlTree> {
  const builder = new TreeBuilder(nameOf);
  yield* scanXmlIncrementally(source, limits, builder);
  return builder.root as XmlTree;
}

class TreeBuilder implements XmlHandler {
  /** Undefined until the document is read. */
  root: XmlTree | undefined = undefined;
  readonly #stack: OpenElement[] = [];
  readonly #nameOf: NameOf;

  constructor(nameOf: NameOf) {
    this.#nameOf = nameOf;
  }

  open(name: XmlName, attributes: readonly XmlAttribute[]): void {
    const element = Object.create(null) as Record<string, unknown>;
    let isTextOnly = true;
    for (const attribute of attributes) {
      if (attribute.name.namespace === xmlnsNamespace) continue;
      element[`@${this.#nameOf(attribute.name)}`] = attribute.value;
      isTextOnly = false;
    }
    this.#stack.push({ name: this.#nameOf(name), element, text: "", isTextOnly });
  }

  text(text: string): void {
    (this.#stack.at(-1) as OpenElement).text += text;
  }

  close(): void {
    const { name, element, text, isTextOnly } = this.#stack.pop() as OpenElement;
    if (!isTextOnly && text.trim() !== "") element["#text"] = text;
    // Whitespace-only text is kept only in an element without attributes and children; elsewhere it is ignored.
    const value = (isTextOnly ? text : element) as XmlData;
    const parent = this.#stack.at(-1);
    if (parent === undefined) this.root = { name, value };
    else addChild(parent, name, value);
  }
}

function addChild(parent: OpenElement, name: string, value: XmlData): void {
  parent.isTextOnly = false;
  const existing = parent.element[name];
  if (existing === undefined) setEntry(parent.element, name, value);
  else if (Array.isArray(existing)) existing.push(value);
  else parent.element[name] = [existing, value];
}

// oxlint-disable-next-line no-control-regex
const invalidCharacters = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
// oxlint-disable-next-line no-control-regex -- as above
const special = /[\0-\u0008\u000b-\u001f"&<>\ufffe\uffff]/;
const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };

/** Escapes text for content or an attribute; characters that XML does not allow become the replacement character. */
export function escapeXml(text: string): string {
  if (!special.test(text)) return text;
  return text.replaceAll(invalidCharacters, "\ufffd").replaceAll(/[&<>"\r]/g, (character) => references[character] as string);
}
