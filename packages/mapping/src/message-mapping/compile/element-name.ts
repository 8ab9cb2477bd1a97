import type { ExpressionTree } from "../expression/expression-tree.ts";
import type { DocumentContext } from "./document-context.ts";
import { hopsTo, levelAt, type Scope } from "./scope.ts";

/** The name of the elements a path selects, if the path contains it; undefined for the message itself. */
export function elementName(tree: ExpressionTree, scope: Scope, context: DocumentContext): string | undefined {
  switch (tree.kind) {
    case "name":
      return elementOfName(tree.name, scope, context);
    case "member":
      return tree.of.kind === "name" && tree.of.name === "$vars" ? context.variables.get(`$${tree.name}`)?.element : tree.name;
    case "index":
    case "all":
    case "filter":
      return elementName(tree.of, scope, context);
    default:
      return undefined;
  }
}

function elementOfName(name: string, scope: Scope, context: DocumentContext): string | undefined {
  const plain = name.startsWith("$") ? name.slice(1) : name;
  const hops = hopsTo(scope, (level) => level.as === plain || (name === "$group" && level.isGrouped));
  if (hops !== undefined) return levelAt(scope, hops).element;
  if (name === "$item") return scope.element;
  return name.startsWith("$") ? context.variables.get(name)?.element : name;
}
