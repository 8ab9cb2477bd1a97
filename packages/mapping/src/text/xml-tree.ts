// XML as data: an element with nothing but text is that text; any other is an object with `@attribute`, `#text` and its
// children by name, a name that occurs several times as a list. Comments and instructions are left out.
import { scanXml, setEntry, xmlnsNamespace, type XmlLimits, type XmlName } from "@sluice/engine/spi";

const limits: XmlLimits = { maxCharacters: 64 * 1024 * 1024, maxDepth: 500, maxElements: 2_000_000, maxAttributes: 1000 };

export type XmlData = string | { readonly [name: string]: XmlData | readonly XmlData[] };

/** How a name is called in the data; decided by the caller, because prefixes belong to the document that reads. */
export type NameOf = (name: XmlName) => string;

interface Building {
  readonly name: string;
  readonly element: Record<string, unknown>;
  text: string;
  isEmpty: boolean;
}

export function parseXmlTree(source: string, nameOf: NameOf): { readonly name: string; readonly value: XmlData } {
  const stack: Building[] = [];
  let root: { name: string; value: XmlData } | undefined;
  scanXml(source, limits, {
    open(name, attributes) {
      const element = Object.create(null) as Record<string, unknown>;
      let isEmpty = true;
      for (const attribute of attributes) {
        if (attribute.name.namespace === xmlnsNamespace) continue;
        element[`@${nameOf(attribute.name)}`] = attribute.value;
        isEmpty = false;
      }
      stack.push({ name: nameOf(name), element, text: "", isEmpty });
    },
    text(text) {
      (stack.at(-1) as Building).text += text;
    },
    close() {
      const { name, element, text, isEmpty } = stack.pop() as Building;
      if (!isEmpty && text.trim() !== "") element["#text"] = text;
      // Blanks between the tags of children say nothing; in an element without any they are its text.
      const value = (isEmpty ? text : element) as XmlData;
      const parent = stack.at(-1);
      if (parent === undefined) root = { name, value };
      else addChild(parent, name, value);
    },
  });
  return root as { name: string; value: XmlData };
}

function addChild(parent: Building, name: string, value: XmlData): void {
  parent.isEmpty = false;
  const present = parent.element[name];
  if (present === undefined) setEntry(parent.element, name, value);
  else if (Array.isArray(present)) present.push(value);
  else parent.element[name] = [present, value];
}

// oxlint-disable-next-line no-control-regex
const unwritable = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const references: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" };

/** A text as it stands between tags or in an attribute; characters XML does not have become the replacement character. */
export function escapeXml(text: string): string {
  return text.replaceAll(unwritable, "\ufffd").replaceAll(/[&<>"\r]/g, (character) => references[character] as string);
}
