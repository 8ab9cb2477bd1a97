// Bounds loops that do not depend on the document (`for`, `some`, `!`, function bodies, `1 to n`) by inserting calls to guard
// functions into the syntax tree.
import { nodeTypes } from "../node-type.ts";
import { XmlNode } from "../xml-node.ts";
import { guardNamespace } from "./query-functions.ts";

const syntaxNamespace = "http://www.w3.org/2005/XQueryX";
const bodies = new Set(["returnClause", "predicateExpr", "functionBody"]);
const loops = new Set(["flworExpr", "quantifiedExpr", "simpleMapExpr", "rangeSequenceExpr", "inlineFunctionExpr", "functionDecl"]);

/** True when the tree has a loop that is not bounded by the size of the document. */
export function hasLoops(tree: XmlNode): boolean {
  return loops.has(tree.localName) || tree.childNodes.some((child) => child.nodeType === nodeTypes.element && hasLoops(child));
}

/** A copy of the tree that counts every iteration and range. */
export function boundLoops(node: XmlNode): XmlNode {
  if (node.localName === "rangeSequenceExpr") {
    const [start, end] = node.childNodes.map((operand) => operand.childNodes.map(boundCopy));
    return call("range", [...(start ?? []), ...(end ?? [])]);
  }
  const copy = new XmlNode(node.nodeType, node.nodeName, node.namespaceURI, node.data);
  for (const attribute of node.attributes) copy.addAttribute(new XmlNode(nodeTypes.attribute, attribute.nodeName, attribute.namespaceURI, attribute.data));
  const children = node.childNodes.map(boundCopy);
  if (bodies.has(node.localName) && children.length > 0) copy.append(withTick(children));
  else if (node.localName === "simpleMapExpr") for (const [index, child] of children.entries()) copy.append(index === 0 ? child : withTick([child]));
  else for (const child of children) copy.append(child);
  return copy;
}

function boundCopy(child: XmlNode): XmlNode {
  return child.nodeType === nodeTypes.element ? boundLoops(child) : new XmlNode(child.nodeType, child.nodeName, child.namespaceURI, child.data);
}

/** `(tick(), …)`: the tick returns an empty sequence, so the value does not change. */
function withTick(children: readonly XmlNode[]): XmlNode {
  const sequence = element("sequenceExpr");
  sequence.append(call("tick", []));
  for (const child of children) sequence.append(child);
  return sequence;
}

function call(name: string, values: readonly XmlNode[]): XmlNode {
  const callExpression = element("functionCallExpr");
  const functionName = element("functionName");
  functionName.addAttribute(new XmlNode(nodeTypes.attribute, "xqx:URI", syntaxNamespace, guardNamespace));
  functionName.append(new XmlNode(nodeTypes.text, "#text", null, name));
  const argumentList = element("arguments");
  for (const value of values) argumentList.append(value);
  callExpression.append(functionName);
  callExpression.append(argumentList);
  return callExpression;
}

function element(name: string): XmlNode {
  return new XmlNode(nodeTypes.element, `xqx:${name}`, syntaxNamespace, "");
}
