// Writes data as XML: `@name` is an attribute, `#text` the text, a list becomes one element per item.
import { isPlainObject } from "@sluice/engine/values";
import { escapeXml } from "../../text/xml-tree.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, toText } from "../values.ts";

export const xmlName = /^[\p{L}_][\p{L}\p{N}\p{M}_.-]*(?::[\p{L}_][\p{L}\p{N}\p{M}_.-]*)?$/u;
const maxDepth = 500;

/** The name as written where these prefixes are declared; throws when it is invalid. */
export type WrittenName = (name: string, prefixes: ReadonlySet<string>) => string;

/** Accepts valid names with a declared prefix: an undeclared one would make the text invalid XML. */
export function declaredNames(): WrittenName {
  // Names of one document are few and occur often: testing each occurrence would take longer than writing it.
  const valid = new Set<string>();
  return (name, prefixes) => {
    if (!valid.has(name)) {
      if (!xmlName.test(name)) throw new MappingFault("output", `'${name}' is not a valid XML name`);
      valid.add(name);
    }
    const colon = name.indexOf(":");
    if (colon > 0 && !prefixes.has(name.slice(0, colon))) throw new MappingFault("output", `the namespace prefix of '${name}' is not declared`);
    return name;
  };
}

export function writeXml(name: string, value: unknown, namespaces: ReadonlyMap<string, string>, written: WrittenName = declaredNames()): string {
  // Declarations of the root override those of the target: an attribute may appear only once.
  const own = isPlainObject(value) ? value : {};
  const declared = [...namespaces].map(([prefix, uri]) => [prefix === "" ? "xmlns" : `xmlns:${prefix}`, uri] as const);
  const declarations = declared.filter(([attribute]) => isNothing(own[`@${attribute}`])).map(([attribute, uri]) => ` ${attribute}="${escapeXml(uri)}"`);
  return element(name, value, declarations.join(""), { prefixes: new Set([...namespaces.keys(), "xml", "xmlns"]), depth: 0, written });
}

interface Place {
  readonly prefixes: ReadonlySet<string>;
  readonly depth: number;
  readonly written: WrittenName;
}

function element(given: string, value: unknown, attributes: string, outer: Place): string {
  if (outer.depth > maxDepth) throw new MappingFault("limit", `the XML is nested deeper than ${maxDepth} elements`);
  const place = isPlainObject(value) ? inside(outer, value) : outer;
  const name = place.written(given, place.prefixes);
  if (!isPlainObject(value)) {
    const text = isNothing(value) ? "" : Array.isArray(value) ? value.map(toText).join(" ") : toText(value);
    return text === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${escapeXml(text)}</${name}>`;
  }
  let opening = attributes;
  let content = "";
  for (const [key, inner] of Object.entries(value)) {
    if (key === "#text") content += isNothing(inner) ? "" : escapeXml(toText(inner));
    else if (key.startsWith("@")) {
      const attribute = place.written(key.slice(1), place.prefixes);
      if (!isNothing(inner)) opening += ` ${attribute}="${escapeXml(toText(inner)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`;
    } else for (const item of Array.isArray(inner) ? inner : [inner]) content += element(key, item, "", place);
  }
  return content === "" ? `<${name}${opening}/>` : `<${name}${opening}>${content}</${name}>`;
}

/** The prefixes an element declares apply to it and its content. */
function inside({ prefixes, depth, written }: Place, value: Readonly<Record<string, unknown>>): Place {
  const own = Object.keys(value).flatMap((key) => (key.startsWith("@xmlns:") && !isNothing(value[key]) ? [key.slice(7)] : []));
  return { prefixes: own.length === 0 ? prefixes : new Set([...prefixes, ...own]), depth: depth + 1, written };
}
