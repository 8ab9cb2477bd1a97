import type { SimpleNode } from "../parse/ast.ts";

/** The constant a node stands for, when it is one. */
export function constantOf(node: SimpleNode): { readonly value: string | number | boolean | null } | undefined {
  if (node.kind === "text") return { value: node.text };
  if (node.kind === "value") return { value: node.value };
  return node.kind === "quoted" && node.content.kind === "text" ? { value: node.content.text } : undefined;
}
