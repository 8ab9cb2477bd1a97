import { defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { readXml, readXmlAhead } from "../../xml/read-xml.ts";
import { nodeTypes } from "../../xml/node-type.ts";
import { XmlWriter } from "../../xml/object-to-xml.ts";
import { type XmlObjectShape, elementToObject } from "../../xml/xml-object.ts";
import type { XmlNode } from "../../xml/xml-node.ts";
import { commonFields, withBytes } from "../format-input.ts";
import { runIncrementally } from "../incremental.ts";

/** Jackson's mapping: attributes become members without a prefix, text next to them gets an empty key, namespace prefixes are removed. */
const jacksonShape: XmlObjectShape = { attributePrefix: "", textKey: "", localNames: true };

const ignoredOption = (reason: string): ReturnType<typeof f.string> => f.string({ doc: `Accepted but ignored: ${reason}.`, group: "advanced" });

/** XML as maps and lists, with the mapping of Jackson's XML mapper. */
export const jacksonXml = defineFormat({
  name: "jacksonXml",
  title: "Jackson XML",
  summary: "Converts maps and lists to XML, and back.",
  group: "text",
  icon: "code-xml",
  since: "0.1",
  options: {
    ...commonFields,
    rootName: f.string({ doc: "Name of the root element when writing.", default: "ObjectNode" }),
    prettyPrint: f.boolean({ doc: "Writes one element per line.", default: false }),
    contentTypeHeader: f.boolean({ doc: "Whether marshalling sets the header Content-Type to application/xml.", default: true }),
    useList: f.boolean({ doc: "Always returns a list when reading: a single value becomes a list with one item.", default: false }),
    xmlMapper: ignoredOption("Java classes are not used"),
    unmarshalType: ignoredOption("Java classes are not used"),
    jsonView: ignoredOption("Java classes are not used"),
    include: ignoredOption("it configures the Java library"),
    allowJmsType: ignoredOption("it configures the Java library"),
    collectionType: ignoredOption("Java classes are not used"),
    enableJaxbAnnotationModule: ignoredOption("it configures the Java library"),
    moduleClassNames: ignoredOption("Java classes are not used"),
    moduleRefs: ignoredOption("Java classes are not used"),
    enableFeatures: ignoredOption("it configures the Java library"),
    disableFeatures: ignoredOption("it configures the Java library"),
    allowUnmarshallType: ignoredOption("Java classes are not used"),
    timezone: ignoredOption("it configures the Java library"),
    maxStringLength: ignoredOption("it configures the Java library"),
  },
  examples: [
    {
      title: "Reading",
      yaml: "unmarshal: {jacksonXml: {}}",
      given: { body: '<order no="1"><id>7</id><line>a</line><line>b</line></order>' },
      expect: { body: { no: "1", id: "7", line: ["a", "b"] } },
    },
    {
      title: "Writing",
      yaml: "marshal: {jacksonXml: {rootName: order}}",
      given: { body: { id: 7, line: ["a", "b"] } },
      expect: { body: "<order><id>7</id><line>a</line><line>b</line></order>" },
    },
  ],
  create({ rootName, prettyPrint, contentTypeHeader, useList }, clock) {
    return {
      marshal(body, exchange) {
        if (contentTypeHeader) exchange.message.headers.set("Content-Type", "application/xml");
        const content = Array.isArray(body) ? { item: body as unknown } : body;
        const writing = new XmlWriter({ shape: jacksonShape, indent: prettyPrint ? 2 : undefined });
        return runIncrementally(writing.steps(rootName, content), () => writing.text(), clock);
      },
      unmarshal(body) {
        const read = (node: XmlNode): unknown => {
          const root = node.nodeType === nodeTypes.document ? (node.documentElement as XmlNode) : node;
          const value = replaceNull(elementToObject(root, jacksonShape));
          return useList && !Array.isArray(value) ? [value] : value;
        };
        if (body !== null && typeof body === "object" && Symbol.asyncIterator in body) return withBytes(body, (bytes) => read(readXml(bytes)));
        const parsing = clock === undefined ? undefined : readXmlAhead(body, clock);
        return parsing === undefined ? read(readXml(body)) : parsing.then(() => read(readXml(body)));
      },
    };
  },
});

/** Replaces null with an empty string: in Jackson, an element without content is an empty string. */
function replaceNull(value: unknown): unknown {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(replaceNull);
  if (typeof value !== "object") return value;
  for (const [key, inner] of Object.entries(value as Record<string, unknown>))
    if (inner === null || typeof inner === "object")
      Object.defineProperty(value, key, { value: replaceNull(inner), enumerable: true, configurable: true, writable: true });
  return value;
}
