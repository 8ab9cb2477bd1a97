import type { SimpleNode } from "../parse/ast.ts";

/** The constant value of a node, if it is constant. */
export function constantOf(node: SimpleNode): { readonly value: string | number | boolean | null } | undefined {
  if (node.kind === "text") return { value: node.text };
  if (node.kind === "value") return { value: node.value };
  return node.kind === "quoted" && node.content.kind === "text" ? { value: node.content.text } : undefined;
}
