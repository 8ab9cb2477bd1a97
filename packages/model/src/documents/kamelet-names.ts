// The names of the Kamelets that a document uses, for tools without declarations: every string that can name a Kamelet is read.
import { namedKamelet } from "../check/kamelet-uri.ts";
import { Placeholders } from "../check/placeholders.ts";
import type { Tree } from "../flow/tree.ts";
import { asFlowTree } from "./camel-document.ts";
import { entriesOf, itemsOf, textOf, valueOf } from "./tree-parts.ts";

/** A string may list several endpoints, as the expression of a recipient list does. */
const kameletUri = /(?<![\w-])kamelet:(?:\/\/)?([A-Za-z0-9][\w.-]*)/g;
/** `kamelet:source` and `kamelet:sink` are endpoints inside a Kamelet's template, not Kamelets. */
const templateEndpoints: ReadonlySet<string> = new Set(["source", "sink"]);

/** The names in the order of their first use. Names of the document's own route templates are not Kamelets. */
export function kameletNamesIn(document: Tree, property: (name: string) => string | undefined = () => undefined): readonly string[] {
  const { tree, properties } = asFlowTree(document);
  const placeholders = new Placeholders({ property: (name) => property(name) ?? properties.get(name) });
  const templateIds = new Set(itemsOf(tree).map((item) => textOf(valueOf(valueOf(item, "routeTemplate"), "id"))));
  const usedNames = new Set<string>();

  function resolve(text: string): string {
    const result = placeholders.resolve(text);
    return result.kind === "text" ? result.text : text;
  }

  function add(text: string | undefined): void {
    const name = text === undefined ? "" : namedKamelet(resolve(text), {}).name;
    if (name !== "" && !templateEndpoints.has(name) && !templateIds.has(name)) usedNames.add(name);
  }

  function walk(node: Tree): void {
    if (node.type === "scalar") for (const [, name] of resolve(node.text ?? "").matchAll(kameletUri)) add(name);
    for (const item of itemsOf(node)) walk(item);
    for (const { key, value } of entriesOf(node)) {
      if (key === "kamelet") add(textOf(value) ?? textOf(valueOf(value, "name")));
      walk(value);
    }
    if (textOf(valueOf(node, "uri")) === "kamelet") add(textOf(valueOf(valueOf(node, "parameters"), "templateId")));
  }

  walk(tree);
  return [...usedNames];
}
