// XML: attributes are `@name`, text next to attributes or children is `#text`, prefixes are those of the mapping document.
import { decodeXml, isPlainObject, type XmlName } from "@sluice/engine/values";
import { runToEnd } from "../../text/incremental.ts";
import { readFault } from "../../text/read-fault.ts";
import { parseXmlTree, parseXmlTreeIncrementally, type XmlTree } from "../../text/xml-tree.ts";
import { createNameCheck, writeXml, xmlName } from "./xml-writer.ts";
import { flagOption, textOfBody, textOption, type FormatOptions, type MessageFormat, type SideReport, type XmlSource } from "./message-format.ts";

export function xmlFormat(options: FormatOptions, report: SideReport): MessageFormat {
  const root = options["root"] === undefined ? undefined : textOption(options, "root", "", report);
  const namespaces = readNamespaces(options["namespaces"], report);
  if (root !== undefined) checkRoot(root, namespaces, report);
  const nameOf = nameMapper(namespaces);
  const xmlDeclaration = flagOption(options, "declaration", true, report) ? '<?xml version="1.0" encoding="UTF-8"?>' : "";
  const texts = new WeakMap<object, string>();
  const contentOf = ({ name, value }: XmlTree, text: string): unknown => {
    if (root !== undefined && name !== root) throw readFault("xml", `expected the root element <${root}>, got <${name}>`);
    if (typeof value === "object") texts.set(value, text);
    return value;
  };
  return {
    name: "xml",
    contentType: "application/xml",
    oneOrMany: true,
    // XML itself declares `xml`, for xml:lang and similar.
    prefixes: new Set([...namespaces.keys(), "xml"]),
    xml: xmlSource(namespaces, root, texts),
    read(body) {
      const text = textOfBody(body, decodeXml);
      return text === undefined ? body : contentOf(parseXmlTree(text, nameOf), text);
    },
    *readIncrementally(body) {
      const text = textOfBody(body, decodeXml);
      return text === undefined ? body : contentOf(yield* parseXmlTreeIncrementally(text, nameOf), text);
    },
    write: (output) => xmlDeclaration + runToEnd(writeXml(root ?? "root", output, namespaces)),
    *writeIncrementally(output) {
      return xmlDeclaration + (yield* writeXml(root ?? "root", output, namespaces));
    },
  };
}

/**
 * Names with the mapping document's prefixes. If the source uses such a prefix for another namespace, the name includes that namespace's
 * URI.
 */
function nameMapper(namespaces: ReadonlyMap<string, string>): (name: XmlName) => string {
  const prefixOf = new Map([...namespaces].map(([prefix, uri]) => [uri, prefix]));
  return ({ written, local, namespace }) => {
    if (namespace === "") return local;
    const prefix = prefixOf.get(namespace);
    if (prefix !== undefined) return prefix === "" ? local : `${prefix}:${local}`;
    return namespaces.has(written.slice(0, Math.max(0, written.length - local.length - 1))) ? `{${namespace}}${local}` : written;
  };
}

/** The XML that other languages read: the original message, or one of its elements as a separate document. */
function xmlSource(namespaces: ReadonlyMap<string, string>, root: string | undefined, texts: WeakMap<object, string>): XmlSource {
  return {
    namespaces: Object.fromEntries(namespaces),
    textOf(item, name) {
      const element = Array.isArray(item) ? (item[0] as unknown) : item;
      const originalText = typeof element === "object" && element !== null ? texts.get(element) : undefined;
      // The prefixes of other namespaces are not declared in this document, so their names are written without one.
      const check = createNameCheck();
      return originalText ?? runToEnd(writeXml(name ?? root ?? "root", element, namespaces, (inner, prefixes) => check(plainName(inner, prefixes), prefixes)));
    },
  };
}

function plainName(name: string, prefixes: ReadonlySet<string>): string {
  if (name.startsWith("{")) return name.slice(name.lastIndexOf("}") + 1);
  const colon = name.indexOf(":");
  return colon > 0 && !prefixes.has(name.slice(0, colon)) ? name.slice(colon + 1) : name;
}

function checkRoot(root: string, namespaces: ReadonlyMap<string, string>, report: SideReport): void {
  const colon = root.indexOf(":");
  if (!xmlName.test(root)) report("root", `'${root}' is not a valid XML name`);
  else if (colon > 0 && !namespaces.has(root.slice(0, colon))) report("root", `the prefix of '${root}' is not declared in 'namespaces'`);
}

function readNamespaces(value: unknown, report: SideReport): ReadonlyMap<string, string> {
  if (value === undefined) return new Map();
  if (!isPlainObject(value) || Object.values(value).some((uri) => typeof uri !== "string" || uri === "")) {
    report("namespaces", "expected an object of prefixes and namespace URIs");
    return new Map();
  }
  const invalidPrefix = Object.keys(value).find((prefix) => prefix !== "" && (!xmlName.test(prefix) || prefix.includes(":") || /^xml/i.test(prefix)));
  if (invalidPrefix !== undefined) report("namespaces", `'${invalidPrefix.slice(0, 60)}' is not a valid namespace prefix`);
  return new Map(Object.entries(value) as [string, string][]);
}
