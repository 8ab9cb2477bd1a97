// XML as plain objects and back: attributes are `@name`, text next to them `#text`, repeated elements become a list. The text of
// mixed content is joined; the order of differently named children is the order of the keys.
import { FlowError } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { nodeTypes } from "./node-type.ts";
import { escapeXmlAttribute, escapeXmlText } from "./serialize-xml.ts";
import type { XmlNode } from "./xml-node.ts";

export interface XmlObjectShape {
  /** Prefix of attribute names. */
  readonly attributePrefix: string;
  /** Holds the text of an element that has attributes or children as well. */
  readonly textKey: string;
  /** Drops prefixes and namespace declarations. */
  readonly localNames: boolean;
}

export const plainShape: XmlObjectShape = {
  attributePrefix: "@",
  textKey: "#text",
  localNames: false,
};
const nestingLimit = 500;

/** An element's content: text if it has nothing else, null if it is empty, otherwise a map. */
export function elementToObject(element: XmlNode, shape: XmlObjectShape = plainShape): unknown {
  const content = new Map<string, unknown>();
  for (const attribute of element.attributes) {
    const declaration = attribute.nodeName === "xmlns" || attribute.prefix === "xmlns";
    if (!(declaration && shape.localNames)) add(content, shape.attributePrefix + nameOf(attribute, shape), attribute.data);
  }
  let text = "";
  let hasElements = false;
  for (const child of element.childNodes) {
    if (child.nodeType === nodeTypes.text) text += child.data;
    if (child.nodeType !== nodeTypes.element) continue;
    hasElements = true;
    add(content, nameOf(child, shape), elementToObject(child, shape));
  }
  if (content.size === 0) return text === "" ? null : text;
  if (hasElements ? text.trim() !== "" : text !== "") add(content, shape.textKey, hasElements ? text.trim() : text);
  return toRecord(content);
}

function nameOf(node: XmlNode, shape: XmlObjectShape): string {
  return shape.localNames ? node.localName : node.nodeName;
}

function add(content: Map<string, unknown>, key: string, value: unknown): void {
  if (!content.has(key)) content.set(key, value);
  else {
    const present = content.get(key);
    if (Array.isArray(present)) present.push(value);
    else content.set(key, [present, value]);
  }
}

/** A map as a plain object whose keys, `__proto__` included, are all its own. */
export function toRecord(content: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [key, value] of content) {
    if (key === "__proto__")
      Object.defineProperty(record, key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else record[key] = value;
  }
  return record;
}

export interface WriteOptions {
  readonly shape: XmlObjectShape;
  /** Indentation per level; undefined writes one line. */
  readonly indent?: number | undefined;
}

/** `<name>…</name>` of any value. A list becomes one element per item. */
export function objectToXml(name: string, value: unknown, options: WriteOptions, depth = 0): string {
  if (depth > nestingLimit)
    throw new FlowError("java.lang.IllegalStateException", `size limit: the value is nested deeper than ${nestingLimit} levels`, { code: "limit-size" });
  checkName(name);
  if (Array.isArray(value)) return value.map((item: unknown) => objectToXml(name, item, options, depth)).join("");
  const pad = options.indent === undefined ? "" : " ".repeat(options.indent * depth);
  const end = options.indent === undefined ? "" : "\n";
  if (value === null || value === undefined) return `${pad}<${name}/>${end}`;
  const entries = entriesOf(value);
  if (entries === undefined) return `${pad}<${name}>${escapeXmlText(asText(value))}</${name}>${end}`;
  let attributes = "";
  let text = "";
  let children = "";
  for (const [key, inner] of entries) {
    if (options.shape.attributePrefix !== "" && key.startsWith(options.shape.attributePrefix))
      attributes += attributeText(key.slice(options.shape.attributePrefix.length), inner);
    else if (key === options.shape.textKey) text += escapeXmlText(asText(inner));
    else children += objectToXml(key, inner, options, depth + 1);
  }
  if (children === "") return text === "" ? `${pad}<${name}${attributes}/>${end}` : `${pad}<${name}${attributes}>${text}</${name}>${end}`;
  return `${pad}<${name}${attributes}>${text}${end}${children}${pad}</${name}>${end}`;
}

function attributeText(name: string, value: unknown): string {
  checkName(name);
  return ` ${name}="${escapeXmlAttribute(asText(value))}"`;
}

function entriesOf(value: unknown): Iterable<readonly [string, unknown]> | undefined {
  if (value instanceof Map) return [...value].map(([key, inner]) => [asText(key), inner as unknown] as const);
  if (typeof value !== "object" || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value) : undefined;
}

function checkName(name: string): void {
  if (/^[\p{L}_][\p{L}\p{N}\p{M}._-]*(?::[\p{L}_][\p{L}\p{N}\p{M}._-]*)?$/u.test(name)) return;
  throw new FlowError("java.lang.IllegalArgumentException", `'${name}' cannot be the name of an XML element or attribute: rename the key first`, {
    code: "xml-name",
  });
}
