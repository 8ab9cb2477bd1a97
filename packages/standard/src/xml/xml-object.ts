// XML as plain objects: attributes are `@name`, text next to them `#text`, repeated elements become a list. The text of
// mixed content is joined; the order of differently named children is the order of the keys.
import { nodeTypes } from "./node-type.ts";
import type { XmlNode } from "./xml-node.ts";

export interface XmlObjectShape {
  /** Prefix of attribute names. */
  readonly attributePrefix: string;
  /** Key for the text of an element that also has attributes or children. */
  readonly textKey: string;
  /** Drops prefixes and namespace declarations. */
  readonly localNames: boolean;
}

export const plainShape: XmlObjectShape = {
  attributePrefix: "@",
  textKey: "#text",
  localNames: false,
};

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
    const existing = content.get(key);
    if (Array.isArray(existing)) existing.push(value);
    else content.set(key, [existing, value]);
  }
}

/** Converts entries to a plain object; `__proto__` becomes an ordinary key. */
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
