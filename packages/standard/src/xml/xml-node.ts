// The nodes of a parsed document, which can be the body of a message and are not changed after parsing. A custom type, because a general DOM takes
// ten times as long to build.
import { textForm } from "@sluice/engine/values";
import { nodeTypes, type NodeType } from "./node-type.ts";
import { serializeXml } from "./serialize-xml.ts";

const noNodes: XmlNode[] = [];

export class XmlNode {
  readonly nodeType: NodeType;
  /** The name as written, including its prefix; a name such as `#text` for nodes without a name. */
  readonly nodeName: string;
  readonly prefix: string | null;
  readonly localName: string;
  readonly namespaceURI: string | null;
  /** The text of attributes, text, comments and instructions. */
  data: string;
  parentNode: XmlNode | null = null;
  readonly attributes: XmlNode[];
  readonly childNodes: XmlNode[];
  /** Index among its siblings. */
  index = 0;

  constructor(nodeType: NodeType, nodeName: string, namespaceURI: string | null, data: string) {
    const colon = nodeType <= nodeTypes.attribute ? nodeName.indexOf(":") : -1;
    this.nodeType = nodeType;
    this.nodeName = nodeName;
    this.prefix = colon < 0 ? null : nodeName.slice(0, colon);
    this.localName = colon < 0 ? nodeName : nodeName.slice(colon + 1);
    this.namespaceURI = namespaceURI;
    this.data = data;
    this.attributes = nodeType === nodeTypes.element ? [] : noNodes;
    this.childNodes = nodeType === nodeTypes.element || nodeType === nodeTypes.document ? [] : noNodes;
  }

  /** The name of a processing instruction. */
  get target(): string {
    return this.nodeName;
  }

  get value(): string {
    return this.data;
  }

  /** The first child element; for a document, its root element. */
  get documentElement(): XmlNode | undefined {
    return this.childNodes.find((child) => child.nodeType === nodeTypes.element);
  }

  append(child: XmlNode): void {
    child.parentNode = this;
    child.index = this.childNodes.length;
    this.childNodes.push(child);
  }

  addAttribute(attribute: XmlNode): void {
    attribute.parentNode = this;
    attribute.index = this.attributes.length;
    this.attributes.push(attribute);
  }

  /** All text inside, in document order. */
  get textContent(): string {
    if (this.nodeType !== nodeTypes.element && this.nodeType !== nodeTypes.document) return this.data;
    let text = "";
    for (const child of this.childNodes) if (child.nodeType === nodeTypes.text || child.nodeType === nodeTypes.element) text += child.textContent;
    return text;
  }

  /** Elements and documents are serialized; attributes and text nodes return their value. */
  toString(): string {
    return this.nodeType === nodeTypes.element || this.nodeType === nodeTypes.document ? serializeXml(this) : this.data;
  }

  toJSON(): string {
    return this.toString();
  }

  [textForm](): string {
    return this.toString();
  }
}

/** Several nodes as one value: a list for split, concatenated as text. */
export class XmlNodes extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  override toString(): string {
    return this.map(String).join("");
  }

  [textForm](): string {
    return this.toString();
  }
}

/** A list of nodes or plain values as XmlNodes. */
export function xmlNodes(items: Iterable<unknown>): XmlNodes {
  const nodes = new XmlNodes();
  for (const item of items) nodes.push(item);
  return nodes;
}
