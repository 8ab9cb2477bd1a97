// The properties that a Kubernetes document sets for its own routes: entries of `configuration` with the type `property`, and the
// properties of the trait `camel`, written under `traits` or as an annotation.
import type { Tree } from "../flow/tree.ts";
import { parseProperties } from "../read/properties.ts";
import { itemsOf, textOf, valueOf } from "./tree-parts.ts";

const annotation = "trait.camel.apache.org/camel.properties";

/** The properties of an Integration or Pipe by name. */
export function propertiesOf(document: Tree): ReadonlyMap<string, string> {
  const spec = valueOf(document, "spec");
  const annotationText = textOf(valueOf(valueOf(valueOf(document, "metadata"), "annotations"), annotation));
  const lines = [spec, valueOf(spec, "integration")].flatMap(linesOf);
  return parseProperties([...lines, ...(annotationText === undefined ? [] : annotationLines(annotationText))].join("\n"));
}

function linesOf(integration: Tree | undefined): readonly string[] {
  const configuration = itemsOf(valueOf(integration, "configuration")).filter((entry) => textOf(valueOf(entry, "type")) === "property");
  const trait = itemsOf(valueOf(valueOf(valueOf(integration, "traits"), "camel"), "properties"));
  return [...configuration.map((entry) => textOf(valueOf(entry, "value"))), ...trait.map(textOf)].filter((line) => line !== undefined);
}

/** An annotation contains a JSON list of lines, or one line. */
function annotationLines(text: string): readonly string[] {
  try {
    const lines: unknown = JSON.parse(text);
    return Array.isArray(lines) ? lines.map(String) : [text];
  } catch {
    return [text];
  }
}
