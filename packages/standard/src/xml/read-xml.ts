// XML out of whatever a message carries. A body is parsed once however many expressions read it.
import { FlowError, asText, decodeXml } from "@sluice/engine/spi";
import { nodeTypes } from "./node-type.ts";
import { parseXml, xmlLimits } from "./parse-xml.ts";
import { XmlNode } from "./xml-node.ts";

const parsedBytes = new WeakMap<Uint8Array, XmlNode>();
const recentTexts = new Map<string, XmlNode>();
/** Texts are kept for the next branch of a choice, not for good: few, and only small ones. */
const recentCount = 8;
const recentCharacters = 256 * 1024;

/** The document or node of a value; bytes and text are parsed, a list of one is its item. */
export function readXml(value: unknown): XmlNode {
  if (value instanceof XmlNode) return value;
  if (value instanceof Uint8Array) return readBytes(value);
  if (Array.isArray(value) && value.length === 1) return readXml(value[0]);
  const text = asText(value);
  if (text.trim() === "")
    throw new FlowError("org.apache.camel.InvalidPayloadException", "there is no XML to read: the value is empty", {
      code: "invalid-xml",
      details: { clientFault: true },
    });
  const known = recentTexts.get(text);
  if (known !== undefined) return known;
  const parsed = parseXml(text);
  if (text.length <= recentCharacters) remember(text, parsed);
  return parsed;
}

const ownDocuments = new WeakMap<XmlNode, XmlNode>();

/** As `readXml`, but a part of a document, such as one a split made, stands in a document of its own: its root is the part. */
export function readXmlDocument(value: unknown): XmlNode {
  const node = readXml(value);
  if (node.nodeType !== nodeTypes.element) return node;
  if (node.parentNode?.nodeType === nodeTypes.document) return node.parentNode;
  let own = ownDocuments.get(node);
  if (own === undefined) {
    own = new XmlNode(nodeTypes.document, "#document", null, "");
    own.append(copyOf(node));
    ownDocuments.set(node, own);
  }
  return own;
}

function copyOf(node: XmlNode): XmlNode {
  const copy = new XmlNode(node.nodeType, node.nodeName, node.namespaceURI, node.data);
  for (const attribute of node.attributes) copy.addAttribute(new XmlNode(attribute.nodeType, attribute.nodeName, attribute.namespaceURI, attribute.data));
  for (const child of node.childNodes) copy.append(copyOf(child));
  return copy;
}

function readBytes(bytes: Uint8Array): XmlNode {
  const known = parsedBytes.get(bytes);
  if (known !== undefined) return known;
  if (bytes.length > xmlLimits.maxCharacters * 2)
    throw new FlowError("java.lang.IllegalStateException", `size limit: the XML has ${bytes.length} bytes, too many to read`, {
      code: "limit-xml",
      details: { clientFault: true },
    });
  const parsed = parseXml(decodeXml(bytes));
  parsedBytes.set(bytes, parsed);
  return parsed;
}

function remember(text: string, parsed: XmlNode): void {
  if (recentTexts.size >= recentCount) recentTexts.delete(recentTexts.keys().next().value as string);
  recentTexts.set(text, parsed);
}
