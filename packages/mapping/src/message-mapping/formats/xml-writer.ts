// Writes data as XML: `@name` is an attribute, `#text` the text, a list becomes one element per item.
import { isPlainObject, BlockTextBuilder } from "@sluice/engine/values";
import type { Incremental } from "../../text/incremental.ts";
import { escapeXml } from "../../text/xml-tree.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, toText } from "../values.ts";

export const xmlName = /^[\p{L}_][\p{L}\p{N}\p{M}_.-]*(?::[\p{L}_][\p{L}\p{N}\p{M}_.-]*)?$/u;
const maxDepth = 500;

/** Returns a name as it is written in the XML, given the declared prefixes; throws when the name is invalid. */
export type FormatName = (name: string, prefixes: ReadonlySet<string>) => string;

/** Accepts valid names with a declared prefix: an undeclared one would make the text invalid XML. */
export function createNameCheck(): FormatName {
  // A document has few distinct names, and each occurs often: validating every occurrence would take longer than writing it.
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

/** The text of an element, incrementally. */
export function* writeXml(
  name: string,
  value: unknown,
  namespaces: ReadonlyMap<string, string>,
  formatName: FormatName = createNameCheck(),
): Incremental<string> {
  // Declarations of the root override those of the target: an attribute may appear only once.
  const members = isPlainObject(value) ? value : {};
  const declared = [...namespaces].map(([prefix, uri]) => [prefix === "" ? "xmlns" : `xmlns:${prefix}`, uri] as const);
  const declarations = declared.filter(([attribute]) => isNothing(members[`@${attribute}`])).map(([attribute, uri]) => ` ${attribute}="${escapeXml(uri)}"`);
  const text = new BlockTextBuilder();
  yield* element(name, value, declarations.join(""), { prefixes: new Set([...namespaces.keys(), "xml", "xmlns"]), depth: 0, formatName, text });
  return text.end();
}

interface ElementContext {
  readonly prefixes: ReadonlySet<string>;
  readonly depth: number;
  readonly formatName: FormatName;
  readonly text: BlockTextBuilder;
}

function* element(rawName: string, value: unknown, attributes: string, outer: ElementContext): Incremental<void> {
  if (outer.depth > maxDepth) throw new MappingFault("limit", `the XML is nested deeper than ${maxDepth} elements`);
  if (outer.text.isFull) yield outer.text.finishBlock();
  if (!isPlainObject(value)) {
    outer.text.add(textElement(outer.formatName(rawName, outer.prefixes), value, attributes));
    return;
  }
  const context = innerContext(outer, value);
  const name = context.formatName(rawName, context.prefixes);
  const entries = Object.entries(value);
  const opening = `<${name}${attributes}${entries.map(([key, inner]) => (key.startsWith("@") ? attributeText(key.slice(1), inner, context) : "")).join("")}`;
  if (!entries.some(hasContent)) {
    context.text.add(`${opening}/>`);
    return;
  }
  context.text.add(`${opening}>`);
  for (const [key, inner] of entries) {
    if (key === "#text") context.text.add(isNothing(inner) ? "" : escapeXml(toText(inner)));
    else if (!key.startsWith("@")) for (const item of Array.isArray(inner) ? (inner as readonly unknown[]) : [inner]) yield* element(key, item, "", context);
  }
  context.text.add(`</${name}>`);
}

function textElement(name: string, value: unknown, attributes: string): string {
  const text = isNothing(value) ? "" : Array.isArray(value) ? value.map(toText).join(" ") : toText(value);
  return text === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${escapeXml(text)}</${name}>`;
}

function attributeText(rawName: string, value: unknown, { prefixes, formatName }: ElementContext): string {
  const name = formatName(rawName, prefixes);
  return isNothing(value) ? "" : ` ${name}="${escapeXml(toText(value)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`;
}

function hasContent([key, value]: readonly [string, unknown]): boolean {
  if (key === "#text") return !isNothing(value) && toText(value) !== "";
  return !key.startsWith("@") && (!Array.isArray(value) || value.length > 0);
}

/** The prefixes an element declares apply to it and its content. */
function innerContext({ prefixes, depth, formatName, text }: ElementContext, value: Readonly<Record<string, unknown>>): ElementContext {
  const declared = Object.keys(value).flatMap((key) => (key.startsWith("@xmlns:") && !isNothing(value[key]) ? [key.slice(7)] : []));
  return { prefixes: declared.length === 0 ? prefixes : new Set([...prefixes, ...declared]), depth: depth + 1, formatName, text };
}
