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

const createNode = (type: NodeType, name: string, uri: string | null, data: string): XmlNode => new BuiltNode(type, name, uri === "" ? null : uri, data);

export const nodesFactory = {
  createAttributeNS: (uri: string, name: string) => createNode(nodeTypes.attribute, name, uri, ""),
  createCDATASection: (data: string) => createNode(nodeTypes.text, "#text", null, data),
  createComment: (data: string) => createNode(nodeTypes.comment, "#comment", null, data),
  createElementNS: (uri: string, name: string) => createNode(nodeTypes.element, name, uri, ""),
  createProcessingInstruction: (target: string, data: string) => createNode(nodeTypes.instruction, target, null, data),
  createTextNode: (data: string) => createNode(nodeTypes.text, "#text", null, data),
  createDocument: () => createNode(nodeTypes.document, "#document", null, ""),
} as unknown as INodesFactory;

/** Only the methods that build a new tree: existing nodes are never changed. */
export const documentWriter = {
  insertBefore: (parent: XmlNode, child: XmlNode) => parent.append(child),
  setAttributeNS: (element: XmlNode, uri: string, name: string, value: string) => element.addAttribute(createNode(nodeTypes.attribute, name, uri, value)),
  setData: (node: XmlNode, data: string) => {
    node.data = data;
  },
  removeChild: rejectRemoval,
  removeAttributeNS: rejectRemoval,
} as unknown as IDocumentWriter;

function rejectRemoval(): never {
  throw new Error("nodes cannot be removed");
}
