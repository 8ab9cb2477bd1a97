// Reads XML from any value of a message. A body is parsed once for all expressions that read it.
import { FlowError, isFlowError, type Awaitable, type Clock } from "@sluice/engine/spi";
import { asText, decodeXml } from "@sluice/engine/values";
import { nodeTypes } from "./node-type.ts";
import { parseXml, parseXmlInSlices, xmlLimits } from "./parse-xml.ts";
import { XmlNode } from "./xml-node.ts";

/** A document, or the parse error. */
type Parsed = XmlNode | FlowError;

const parsedBytes = new WeakMap<Uint8Array, Parsed>();
/** The last long text that was parsed; held weakly. */
let lastLongText: WeakRef<{ readonly text: string; readonly parsed: Parsed }> | undefined;
/** Longer documents are parsed in slices where possible. */
const minSlicedLength = 256 * 1024;
const recentTexts = new Map<string, XmlNode>();
/** Size of the cache of short documents: enough for the conditions of a choice to parse a document once. */
const recentCount = 8;
const recentCharacters = 256 * 1024;

/** The document or node of a value; bytes and text are parsed, and a list of one item is treated as that item. */
export function readXml(value: unknown): XmlNode {
  if (value instanceof XmlNode) return value;
  if (value instanceof Uint8Array) return readBytes(value);
  if (Array.isArray(value) && value.length === 1) return readXml(value[0]);
  const text = asText(value);
  if (text.trim() === "")
    throw new FlowError("org.apache.camel.InvalidPayloadException", "the value is empty and cannot be parsed as XML", {
      code: "invalid-xml",
      details: { clientFault: true },
    });
  const cached = text.length <= recentCharacters ? recentTexts.get(text) : longText(text);
  if (cached !== undefined) return orThrow(cached);
  const parsed = parseXml(text);
  if (text.length <= recentCharacters) cacheRecent(text, parsed);
  else lastLongText = new WeakRef({ text, parsed });
  return parsed;
}

function orThrow(parsed: Parsed): XmlNode {
  if (parsed instanceof XmlNode) return parsed;
  throw parsed;
}

function longText(text: string): Parsed | undefined {
  const last = lastLongText?.deref();
  return last?.text === text ? last.parsed : undefined;
}

/** Parses long text or bytes in slices, so that {@link readXml} has the document immediately; does nothing for other values. */
export function readXmlAhead(value: unknown, clock: Clock): Awaitable {
  if (value instanceof Uint8Array) {
    if (value.length < minSlicedLength || value.length > xmlLimits.maxCharacters * 2 || parsedBytes.has(value)) return undefined;
    return inSlices(decodeXml(value), clock).then((parsed) => void parsedBytes.set(value, parsed));
  }
  if (typeof value !== "string" || value.length < minSlicedLength || longText(value) !== undefined) return undefined;
  return inSlices(value, clock).then((parsed) => void (lastLongText = new WeakRef({ text: value, parsed })));
}

/** Returns a failure instead of throwing it: only an expression that is evaluated may throw it. */
async function inSlices(text: string, clock: Clock): Promise<Parsed> {
  try {
    return await parseXmlInSlices(text, clock);
  } catch (error) {
    if (isFlowError(error)) return error;
    throw error;
  }
}

const ownDocuments = new WeakMap<XmlNode, XmlNode>();

/** Like `readXml`, but a part of a document, e.g. from a split, becomes the root of its own document. */
export function readXmlDocument(value: unknown): XmlNode {
  const node = readXml(value);
  if (node.nodeType !== nodeTypes.element) return node;
  if (node.parentNode?.nodeType === nodeTypes.document) return node.parentNode;
  let ownDocument = ownDocuments.get(node);
  if (ownDocument === undefined) {
    ownDocument = new XmlNode(nodeTypes.document, "#document", null, "");
    ownDocument.append(copyOf(node));
    ownDocuments.set(node, ownDocument);
  }
  return ownDocument;
}

function copyOf(node: XmlNode): XmlNode {
  const copy = new XmlNode(node.nodeType, node.nodeName, node.namespaceURI, node.data);
  for (const attribute of node.attributes) copy.addAttribute(new XmlNode(attribute.nodeType, attribute.nodeName, attribute.namespaceURI, attribute.data));
  for (const child of node.childNodes) copy.append(copyOf(child));
  return copy;
}

function readBytes(bytes: Uint8Array): XmlNode {
  const cached = parsedBytes.get(bytes);
  if (cached !== undefined) return orThrow(cached);
  if (bytes.length > xmlLimits.maxCharacters * 2)
    throw new FlowError(
      "java.lang.IllegalStateException",
      `size limit: the XML has ${bytes.length} bytes, more than the ${xmlLimits.maxCharacters * 2} allowed`,
      { code: "limit-xml", details: { clientFault: true } },
    );
  const parsed = parseXml(decodeXml(bytes));
  parsedBytes.set(bytes, parsed);
  return parsed;
}

function cacheRecent(text: string, parsed: XmlNode): void {
  if (recentTexts.size >= recentCount) recentTexts.delete(recentTexts.keys().next().value as string);
  recentTexts.set(text, parsed);
}
