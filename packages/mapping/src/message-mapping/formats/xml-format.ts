// XML: attributes are `@name`, text beside attributes or children `#text`, prefixes are the document's own.
import { isPlainObject } from "@sluice/engine/spi";
import { readFault } from "../../text/read-fault.ts";
import { escapeXml, parseXmlTree } from "../../text/xml-tree.ts";
import type { XmlName } from "../../text/xml-reader.ts";
import { MappingFault } from "../mapping-fault.ts";
import { isNothing, toText } from "../values.ts";
import { textOfBody, textOption, type FormatOptions, type MessageFormat, type SideReport } from "./message-format.ts";

const xmlName = /^[\p{L}_][\p{L}\p{N}\p{M}_.-]*(?::[\p{L}_][\p{L}\p{N}\p{M}_.-]*)?$/u;
const deepest = 500;

export function xmlFormat(options: FormatOptions, report: SideReport): MessageFormat {
  const root = options["root"] === undefined ? undefined : textOption(options, "root", "", report);
  const namespaces = readNamespaces(options["namespaces"], report);
  const prefixOf = new Map([...namespaces].map(([prefix, uri]) => [uri, prefix]));
  if (root !== undefined && !xmlName.test(root)) report("root", `'${root}' is no XML name`);
  const nameOf = ({ written, local, namespace }: XmlName): string => {
    if (namespace === "") return local;
    const prefix = prefixOf.get(namespace);
    return prefix === undefined ? written : prefix === "" ? local : `${prefix}:${local}`;
  };
  const declarations = [...namespaces].map(([prefix, uri]) => ` xmlns${prefix === "" ? "" : `:${prefix}`}="${escapeXml(uri)}"`).join("");
  const heading = options["declaration"] === false ? "" : '<?xml version="1.0" encoding="UTF-8"?>';
  return {
    name: "xml",
    contentType: "application/xml",
    oneOrMany: true,
    prefixes: new Set(namespaces.keys()),
    read(body) {
      const text = textOfBody(body);
      if (text === undefined) return body;
      const { name, value } = parseXmlTree(text, nameOf);
      if (root !== undefined && name !== root) throw readFault("xml", `expected the root element <${root}>, got <${name}>`);
      return value;
    },
    write: (output) => heading + element(root ?? "root", output, declarations, 0),
  };
}

function readNamespaces(value: unknown, report: SideReport): ReadonlyMap<string, string> {
  if (value === undefined) return new Map();
  if (!isPlainObject(value) || Object.values(value).some((uri) => typeof uri !== "string")) {
    report("namespaces", "expected an object of prefixes and namespace URIs");
    return new Map();
  }
  return new Map(Object.entries(value) as [string, string][]);
}

function element(name: string, value: unknown, attributes: string, depth: number): string {
  if (depth > deepest) throw new MappingFault("limit", `the XML is nested deeper than ${deepest} elements`);
  if (!xmlName.test(name)) throw new MappingFault("output", `'${name}' is no XML name`);
  if (!isPlainObject(value)) {
    const text = isNothing(value) ? "" : Array.isArray(value) ? value.map(toText).join(" ") : toText(value);
    return text === "" ? `<${name}${attributes}/>` : `<${name}${attributes}>${escapeXml(text)}</${name}>`;
  }
  let opening = attributes;
  let content = "";
  for (const [key, inner] of Object.entries(value)) {
    if (key === "#text") content += isNothing(inner) ? "" : escapeXml(toText(inner));
    else if (key.startsWith("@")) {
      if (!xmlName.test(key.slice(1))) throw new MappingFault("output", `'${key.slice(1)}' is no XML name`);
      if (!isNothing(inner)) opening += ` ${key.slice(1)}="${escapeXml(toText(inner)).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")}"`;
    } else if (Array.isArray(inner)) for (const item of inner) content += element(key, item, "", depth + 1);
    else content += element(key, inner, "", depth + 1);
  }
  return content === "" ? `<${name}${opening}/>` : `<${name}${opening}>${content}</${name}>`;
}
