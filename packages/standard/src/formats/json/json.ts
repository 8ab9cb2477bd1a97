import { FlowError, isFlowError, defineFormat, type Awaitable, type Clock } from "@sluice/engine/spi";
import { inSlices } from "@sluice/engine/tools";
import { asJsonIncrementally, shouldWriteInParts } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { commonFields, withText } from "../format-input.ts";
import { parseJson, parseLongJson, writeJson } from "./json-text.ts";
import { prettyJson, prettyJsonIncrementally } from "./pretty-json.ts";
import { withoutNull } from "./without-null.ts";

const ignoredOption = (reason: string): ReturnType<typeof f.string> => f.string({ doc: `Accepted but ignored: ${reason}.`, group: "advanced" });

/** Values as JSON text. */
export const json = defineFormat({
  name: "json",
  title: "JSON",
  summary: "Converts values to JSON text, and back.",
  group: "text",
  icon: "braces",
  since: "0.1",
  options: {
    ...commonFields,
    library: f.string({ doc: "Accepted but ignored: the name of a Java library (Jackson, Gson, Fastjson, Jsonb, …).", group: "advanced" }),
    prettyPrint: f.boolean({ doc: "Writes one member per line.", default: false }),
    contentTypeHeader: f.boolean({ doc: "Whether marshalling sets the header Content-Type to application/json.", default: true }),
    useList: f.boolean({ doc: "Always returns a list when reading: a single value becomes a list with one item.", default: false }),
    useDefaultObjectMapper: ignoredOption("Java classes are not used"),
    objectMapper: ignoredOption("Java classes are not used"),
    autoDiscoverObjectMapper: ignoredOption("Java classes are not used"),
    unmarshalType: ignoredOption("Java classes are not used"),
    jsonView: ignoredOption("Java classes are not used"),
    include: f.string({ doc: "With NON_NULL, members that are null are omitted when writing.", group: "advanced" }),
    allowJmsType: ignoredOption("it configures the Java library"),
    collectionType: ignoredOption("Java classes are not used"),
    moduleClassNames: ignoredOption("Java classes are not used"),
    moduleRefs: ignoredOption("Java classes are not used"),
    enableFeatures: ignoredOption("it configures the Java library"),
    disableFeatures: ignoredOption("it configures the Java library"),
    permissions: ignoredOption("it configures the Java library"),
    allowUnmarshallType: ignoredOption("Java classes are not used"),
    timezone: ignoredOption("it configures the Java library"),
    schemaResolver: ignoredOption("Java classes are not used"),
    autoDiscoverSchemaResolver: ignoredOption("Java classes are not used"),
    namingStrategy: ignoredOption("it configures the Java library"),
    dateFormatPattern: ignoredOption("it configures the Java library"),
    combineUnicodeSurrogates: ignoredOption("it configures the Java library"),
    maxStringLength: ignoredOption("it configures the Java library"),
    dropRootNode: ignoredOption("it configures the Java library"),
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
  create({ prettyPrint, contentTypeHeader, useList, include }, clock) {
    const toList = (value: unknown): unknown => (useList && !Array.isArray(value) ? [value] : value);
    const omitNull = include?.toUpperCase() === "NON_NULL";
    return {
      marshal(body, exchange) {
        if (contentTypeHeader) exchange.message.headers.set("Content-Type", "application/json");
        const format = (text: string): Awaitable<string> => {
          if (!prettyPrint) return text;
          return clock === undefined || text.length < minLongToIndent ? prettyJson(text) : inSlices(prettyJsonIncrementally(text), clock);
        };
        const write = (value: unknown, skipsNull: boolean): Awaitable<string> => {
          if (clock === undefined || !shouldWriteInParts(value)) return format(writeOrFail(() => writeJson(skipsNull ? withoutNull(value) : value)));
          return inSlices(asJsonIncrementally(value, skipsNull ? withoutNull : undefined), clock).then(format, throwUnwritable);
        };
        if (!(body instanceof Uint8Array)) return write(body, omitNull);
        if (clock === undefined || body.length < minLongLength) return write(parseOrKeep(body), false);
        return parseOrKeepLong(body, clock).then((value) => write(value, false));
      },
      unmarshal(body) {
        if (typeof body === "object" && body !== null && !(body instanceof Uint8Array) && !(Symbol.asyncIterator in body)) return body;
        return withText<Awaitable<unknown>>(body, (text) =>
          clock === undefined || text.length < minLongLength ? toList(parseJson(text)) : parseLongJson(text, clock).then(toList),
        );
      },
    };
  },
});

/** Length above which reading yields to other runs. */
const minLongLength = 1024 * 1024;
/** Length above which indenting, which can make a string much longer, yields to other runs. */
const minLongToIndent = 16 * 1024;

function writeOrFail(write: () => string): string {
  try {
    return write();
  } catch (cause) {
    throwUnwritable(cause);
  }
}

function throwUnwritable(cause: unknown): never {
  if (isFlowError(cause)) throw cause;
  const reason = cause instanceof Error ? (cause.message.split("\n")[0] as string) : String(cause);
  throw new FlowError("java.lang.IllegalArgumentException", `the body cannot be written as JSON: ${reason}`, { code: "json-unwritable", cause });
}

/** Parses received bytes that are JSON; other bytes are written as text. */
function parseOrKeep(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return bytes;
  }
}

/** Like {@link parseOrKeep}, in slices. */
function parseOrKeepLong(bytes: Uint8Array, clock: Clock): Promise<unknown> {
  return parseLongJson(new TextDecoder().decode(bytes), clock).catch(() => bytes);
}
