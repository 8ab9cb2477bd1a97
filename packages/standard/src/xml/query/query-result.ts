// Converts the items of a query result: to a list of nodes, the first node, or a plain value.
import { CompileError } from "@sluice/engine/spi";
import { asText, findConversion, isTrue } from "@sluice/engine/values";
import { XmlNode, xmlNodes } from "../xml-node.ts";

export type Convert = (items: readonly unknown[]) => unknown;

const kinds: Readonly<Record<string, Convert>> = {
  nodeset,
  nodelist: nodeset,
  list: nodeset,
  node: first,
  document: first,
  element: first,
  object: nodeset,
  string: text,
  number,
  double: number,
  float: number,
  bigdecimal: number,
  boolean: booleanValue,
};

/** The conversion for `resultQName` (a kind) or `resultType` (a kind or a Java type). */
export function resultConverter(kind: string | undefined, type: string | undefined): Convert {
  const name = (type ?? kind ?? "NODESET").trim();
  const short = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  if (Object.hasOwn(kinds, short)) return kinds[short] as Convert;
  const convert = findConversion(name);
  if (convert === undefined)
    throw new CompileError("language-result-type", `unknown resultType '${name}'`, {
      hint: "use NODESET, NODE, STRING, NUMBER, BOOLEAN or a Java type such as java.lang.Integer",
    });
  return (items) => (items.length === 0 ? null : convert(valueOf(items[0])));
}

/** Nodes are kept; a single plain value, such as a count, becomes text, as in Camel. */
function nodeset(items: readonly unknown[]): unknown {
  if (items.length === 1 && !(items[0] instanceof XmlNode)) return typeof items[0] === "object" ? items[0] : asText(items[0]);
  return xmlNodes(items);
}

function first(items: readonly unknown[]): unknown {
  return items[0] ?? null;
}

function text(items: readonly unknown[]): string {
  return items.length === 0 ? "" : asText(valueOf(items[0]));
}

function number(items: readonly unknown[]): number {
  const value = items.length === 0 ? Number.NaN : valueOf(items[0]);
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  const digits = asText(value).trim();
  return /^-?(\d+(?:\.\d*)?|\.\d+)$/.test(digits) ? Number(digits) : Number.NaN;
}

function booleanValue(items: readonly unknown[]): boolean {
  if (items.length === 0) return false;
  const [item] = items;
  if (typeof item === "number") return item !== 0 && !Number.isNaN(item);
  return typeof item === "string" ? item !== "" : isTrue(item);
}

function valueOf(item: unknown): unknown {
  return item instanceof XmlNode ? item.textContent : item;
}
