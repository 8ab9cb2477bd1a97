import { nodeTypes } from "./node-type.ts";
import type { XmlNode } from "./xml-node.ts";

const textSpecials = /[&<>\r]/;
const attributeSpecials = /[&<"\t\n\r]/;
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

export interface SerializeOptions {
  /** Indentation per level; undefined keeps the text unchanged. */
  readonly indent?: number;
}

/** Serializes a node without an XML declaration; inherited namespaces are declared on it, so that it is well-formed. */
export function serializeXml(node: XmlNode, options: SerializeOptions = {}): string {
  if (node.nodeType === nodeTypes.document) return node.childNodes.map((child) => serializeXml(child, options)).join(options.indent === undefined ? "" : "\n");
  const out: string[] = [];
  write(node, new Map(), out, options.indent, 0);
  return out.join("");
}

export function escapeXmlText(text: string): string {
  return textSpecials.test(text) ? text.replaceAll(/[&<>\r]/g, (character) => escapes[character] as string) : text;
}

export function escapeXmlAttribute(text: string): string {
  return attributeSpecials.test(text) ? text.replaceAll(/[&<"\t\n\r]/g, (character) => escapes[character] as string) : text;
}

/** By prefix, the namespaces declared by surrounding elements, innermost last. */
type Scope = Map<string, string[]>;

function write(node: XmlNode, scope: Scope, out: string[], indent: number | undefined, depth: number): void {
  if (node.nodeType === nodeTypes.text) out.push(escapeXmlText(node.data));
  else if (node.nodeType === nodeTypes.comment) out.push(`<!--${node.data}-->`);
  else if (node.nodeType === nodeTypes.instruction) out.push(`<?${node.nodeName}${node.data === "" ? "" : ` ${node.data}`}?>`);
  else if (node.nodeType === nodeTypes.attribute) out.push(`${node.nodeName}="${escapeXmlAttribute(node.data)}"`);
  else writeElement(node, scope, out, indent, depth);
}

function writeElement(node: XmlNode, scope: Scope, out: string[], indent: number | undefined, depth: number): void {
  const declared: string[] = [];
  const declare = (prefix: string, uri: string): void => {
    const uris = scope.get(prefix);
    if (uris === undefined) scope.set(prefix, [uri]);
    else uris.push(uri);
    declared.push(prefix);
  };
  out.push(`<${node.nodeName}`);
  for (const attribute of node.attributes) {
    const prefix = declaredPrefix(attribute);
    if (prefix !== undefined) declare(prefix, attribute.data);
    out.push(` ${attribute.nodeName}="${escapeXmlAttribute(attribute.data)}"`);
  }
  for (const item of [node, ...node.attributes]) {
    if (item.nodeType === nodeTypes.attribute && (item.prefix === null || item.prefix === "xml" || declaredPrefix(item) !== undefined)) continue;
    const prefix = item.prefix ?? "";
    const uri = item.namespaceURI ?? "";
    if (prefix === "xml" || (scope.get(prefix)?.at(-1) ?? "") === uri) continue;
    declare(prefix, uri);
    out.push(` xmlns${prefix === "" ? "" : `:${prefix}`}="${escapeXmlAttribute(uri)}"`);
  }
  if (node.childNodes.length === 0) out.push("/>");
  else {
    out.push(">");
    writeChildren(node, scope, out, indent, depth);
    out.push(`</${node.nodeName}>`);
  }
  for (const prefix of declared) scope.get(prefix)?.pop();
}

function writeChildren(node: XmlNode, scope: Scope, out: string[], indent: number | undefined, depth: number): void {
  const pretty = indent !== undefined && node.childNodes.every((child) => child.nodeType !== nodeTypes.text || child.data.trim() === "");
  for (const child of node.childNodes) {
    if (pretty && child.nodeType === nodeTypes.text) continue;
    if (pretty) out.push(`\n${" ".repeat((depth + 1) * indent)}`);
    write(child, scope, out, pretty ? indent : undefined, depth + 1);
  }
  if (pretty) out.push(`\n${" ".repeat(depth * indent)}`);
}

function declaredPrefix(attribute: XmlNode): string | undefined {
  if (attribute.nodeName === "xmlns") return "";
  return attribute.prefix === "xmlns" ? attribute.localName : undefined;
}
