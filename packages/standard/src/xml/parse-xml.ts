// XML text → nodes, for XPath and for bodies that stay XML.
import type { Clock } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";
import { scanXml, scanXmlIncrementally, xmlLimitError, type XmlAttribute, type XmlHandler, type XmlLimits, type XmlName } from "@sluice/engine/values";
import { nodeTypes } from "./node-type.ts";
import { XmlNode } from "./xml-node.ts";

export const xmlLimits: XmlLimits & { readonly maxNodes: number } = {
  maxCharacters: 16 * 1024 * 1024,
  maxDepth: 500,
  maxElements: 1_000_000,
  maxNodes: 1_000_000,
  maxAttributes: 1000,
};

/** Parses XML; throws a FlowError with line and column. */
export function parseXml(text: string, limits = xmlLimits): XmlNode {
  const builder = new DocumentBuilder(limits.maxNodes);
  scanXml(text, limits, builder);
  return builder.document;
}

/** Like {@link parseXml}, in slices, for long documents. */
export async function parseXmlInSlices(text: string, clock: Clock, limits = xmlLimits): Promise<XmlNode> {
  const builder = new DocumentBuilder(limits.maxNodes);
  await each(scanXmlIncrementally(text, limits, builder), () => undefined, clock);
  return builder.document;
}

class DocumentBuilder implements XmlHandler {
  readonly document = new XmlNode(nodeTypes.document, "#document", null, "");
  readonly #maxNodes: number;
  #nodes = 0;
  #current = this.document;

  constructor(maxNodes: number) {
    this.#maxNodes = maxNodes;
  }

  open({ written, namespace }: XmlName, attributes: readonly XmlAttribute[]): void {
    const element = new XmlNode(nodeTypes.element, written, namespace || null, "");
    for (const { name, value } of attributes) element.addAttribute(new XmlNode(nodeTypes.attribute, name.written, name.namespace || null, value));
    this.#append(element);
    this.#current = element;
  }

  close(): void {
    this.#current = this.#current.parentNode as XmlNode;
  }

  /** Adjacent text and CDATA are merged. */
  text(text: string): void {
    const last = this.#current.childNodes.at(-1);
    if (last?.nodeType === nodeTypes.text) last.data += text;
    else this.#append(new XmlNode(nodeTypes.text, "#text", null, text));
  }

  comment(text: string): void {
    this.#append(new XmlNode(nodeTypes.comment, "#comment", null, text));
  }

  instruction(target: string, text: string): void {
    this.#append(new XmlNode(nodeTypes.instruction, target, null, text));
  }

  #append(node: XmlNode): void {
    this.#nodes += 1 + node.attributes.length;
    if (this.#nodes > this.#maxNodes) throw xmlLimitError(`the XML has more than ${this.#maxNodes} nodes`);
    this.#current.append(node);
  }
}
