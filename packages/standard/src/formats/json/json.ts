import { FlowError, defineFormat } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { commonFields, withText } from "../format-input.ts";
import { parseJson, writeJson } from "./json-text.ts";
import { prettyJson } from "./pretty-json.ts";

const accepted = (name: string): ReturnType<typeof f.string> => f.string({ doc: `Accepted for Camel's sake; ${name} has no meaning here.`, group: "advanced" });

/** Objects, lists and values as JSON text. */
export const json = defineFormat({
  name: "json",
  title: "JSON",
  summary: "Values as JSON text and back.",
  group: "text",
  icon: "braces",
  since: "0.1",
  options: {
    ...commonFields,
    library: f.string({ doc: "Camel's library (Jackson, Gson, Fastjson, Jsonb, …); any name gives the same behaviour.", group: "advanced" }),
    prettyPrint: f.boolean({ doc: "Writes one member a line.", default: false }),
    contentTypeHeader: f.boolean({ doc: "Whether marshalling sets the header Content-Type to application/json.", default: true }),
    useList: f.boolean({ doc: "Reading always gives a list: a single value becomes a list of one.", default: false }),
    useDefaultObjectMapper: accepted("a Java object mapper"),
    objectMapper: accepted("a Java object mapper"),
    autoDiscoverObjectMapper: accepted("a Java object mapper"),
    unmarshalType: accepted("a Java class"),
    jsonView: accepted("a Java class"),
    include: f.string({ doc: "NON_NULL leaves out members that are null.", group: "advanced" }),
    allowJmsType: accepted("JMS"),
    collectionType: accepted("a Java class"),
    moduleClassNames: accepted("a Java class"),
    moduleRefs: accepted("a Java class"),
    enableFeatures: accepted("a Jackson feature"),
    disableFeatures: accepted("a Jackson feature"),
    permissions: accepted("XStream"),
    allowUnmarshallType: accepted("a Java class"),
    timezone: accepted("a time zone"),
    schemaResolver: accepted("a Java class"),
    autoDiscoverSchemaResolver: accepted("a Java class"),
    namingStrategy: accepted("a naming strategy"),
    dateFormatPattern: accepted("a date pattern"),
    combineUnicodeSurrogates: accepted("surrogate handling"),
    dropRootNode: accepted("a root node"),
  },
  examples: [
    {
      title: "Writing",
      yaml: "marshal: {json: {}}",
      given: { body: { a: 1, b: [1, 2] } },
      expect: { body: '{"a":1,"b":[1,2]}', headers: { "Content-Type": "application/json" } },
    },
    { title: "Reading", yaml: "unmarshal: {json: {}}", given: { body: '{"a": [true, null]}' }, expect: { body: { a: [true, null] } } },
  ],
  create({ prettyPrint, contentTypeHeader, useList, include }) {
    const leaveOutNull = include?.toUpperCase() === "NON_NULL";
    return {
      marshal(body, exchange) {
        if (contentTypeHeader) exchange.message.headers.set("Content-Type", "application/json");
        const text = writeChecked(leaveOutNull ? withoutNull(body, 0) : body);
        return prettyPrint ? prettyJson(text) : text;
      },
      unmarshal(body) {
        if (typeof body === "object" && body !== null && !(body instanceof Uint8Array) && !(Symbol.asyncIterator in body)) return body;
        return withText(body, (text) => {
          const value = parseJson(text);
          return useList && !Array.isArray(value) ? [value] : value;
        });
      },
    };
  },
});

/** Bytes from the wire that are JSON already stay as they are; anything else is a value to write. */
function writeChecked(body: unknown): string {
  try {
    return writeJson(body instanceof Uint8Array ? fromWire(body) : body);
  } catch (cause) {
    if (cause instanceof FlowError) throw cause;
    throw new FlowError(
      "java.lang.IllegalArgumentException",
      `the body cannot be written as JSON: ${cause instanceof Error ? (cause.message.split("\n")[0] as string) : String(cause)}`,
      {
        code: "json-unwritable",
        cause,
      },
    );
  }
}

function fromWire(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return bytes;
  }
}

function withoutNull(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > 500) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNull(item, depth + 1));
  const entries = value instanceof Map ? [...value] : Object.getPrototypeOf(value) === Object.prototype ? Object.entries(value) : undefined;
  if (entries === undefined) return value;
  return new Map(
    entries.filter(([, inner]) => inner !== null && inner !== undefined).map(([key, inner]) => [key as unknown, withoutNull(inner, depth + 1)] as const),
  );
}
