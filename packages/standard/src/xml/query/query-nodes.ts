// Node factory of the query engine: for the syntax tree of an expression and for elements constructed by XQuery.
import type { INodesFactory, IDocumentWriter } from "fontoxpath";
import { nodeTypes, type NodeType } from "../node-type.ts";
import { XmlNode } from "../xml-node.ts";

class BuiltNode extends XmlNode {
  /** Called for every finished element: merges adjacent text nodes. */
  normalize(): void {
    const children = this.childNodes.splice(0);
    for (const child of children) {
      const last = this.childNodes.at(-1);
      if (child.nodeType === nodeTypes.text && last?.nodeType === nodeTypes.text) last.data += child.data;
      else this.append(child);
    }
  }
}

const named = (type: NodeType, name: string, uri: string | null, data: string): XmlNode => new BuiltNode(type, name, uri === "" ? null : uri, data);

export const nodesFactory = {
  createAttributeNS: (uri: string, name: string) => named(nodeTypes.attribute, name, uri, ""),
  createCDATASection: (data: string) => named(nodeTypes.text, "#text", null, data),
  createComment: (data: string) => named(nodeTypes.comment, "#comment", null, data),
  createElementNS: (uri: string, name: string) => named(nodeTypes.element, name, uri, ""),
  createProcessingInstruction: (target: string, data: string) => named(nodeTypes.instruction, target, null, data),
  createTextNode: (data: string) => named(nodeTypes.text, "#text", null, data),
  createDocument: () => named(nodeTypes.document, "#document", null, ""),
} as unknown as INodesFactory;

/** Only the methods that build a new tree: existing nodes are never changed. */
export const documentWriter = {
  insertBefore: (parent: XmlNode, child: XmlNode) => parent.append(child),
  setAttributeNS: (element: XmlNode, uri: string, name: string, value: string) => element.addAttribute(named(nodeTypes.attribute, name, uri, value)),
  setData: (node: XmlNode, data: string) => {
    node.data = data;
  },
  removeChild: refuse,
  removeAttributeNS: refuse,
} as unknown as IDocumentWriter;

function refuse(): never {
  throw new Error("nodes cannot be removed");
}
