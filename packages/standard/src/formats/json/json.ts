import { FlowError, isFlowError, defineFormat, type Awaitable, type Clock } from "@sluice/engine/spi";
import { inSlices } from "@sluice/engine/tools";
import { asJsonIncrementally, isLongToWrite } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { commonFields, withText } from "../format-input.ts";
import { parseJson, parseLongJson, writeJson } from "./json-text.ts";
import { prettyJson, prettyJsonIncrementally } from "./pretty-json.ts";
import { withoutNull } from "./without-null.ts";

const accepted = (reason: string): ReturnType<typeof f.string> => f.string({ doc: `Accepted but ignored: ${reason}.`, group: "advanced" });

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
    library: f.string({ doc: "Camel's library (Jackson, Gson, Fastjson, Jsonb, …); accepted but ignored.", group: "advanced" }),
    prettyPrint: f.boolean({ doc: "Writes one member per line.", default: false }),
    contentTypeHeader: f.boolean({ doc: "Whether marshalling sets the header Content-Type to application/json.", default: true }),
    useList: f.boolean({ doc: "Reading always returns a list: a single value becomes a list with one item.", default: false }),
    useDefaultObjectMapper: accepted("Java classes are not used"),
    objectMapper: accepted("Java classes are not used"),
    autoDiscoverObjectMapper: accepted("Java classes are not used"),
    unmarshalType: accepted("Java classes are not used"),
    jsonView: accepted("Java classes are not used"),
    include: f.string({ doc: "NON_NULL omits members that are null.", group: "advanced" }),
    allowJmsType: accepted("it configures the Java library"),
    collectionType: accepted("Java classes are not used"),
    moduleClassNames: accepted("Java classes are not used"),
    moduleRefs: accepted("Java classes are not used"),
    enableFeatures: accepted("it configures the Java library"),
    disableFeatures: accepted("it configures the Java library"),
    permissions: accepted("it configures the Java library"),
    allowUnmarshallType: accepted("Java classes are not used"),
    timezone: accepted("it configures the Java library"),
    schemaResolver: accepted("Java classes are not used"),
    autoDiscoverSchemaResolver: accepted("Java classes are not used"),
    namingStrategy: accepted("it configures the Java library"),
    dateFormatPattern: accepted("it configures the Java library"),
    combineUnicodeSurrogates: accepted("it configures the Java library"),
    maxStringLength: accepted("it configures the Java library"),
    dropRootNode: accepted("it configures the Java library"),
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
    const shaped = (value: unknown): unknown => (useList && !Array.isArray(value) ? [value] : value);
    const leaveOutNull = include?.toUpperCase() === "NON_NULL";
    return {
      marshal(body, exchange) {
        if (contentTypeHeader) exchange.message.headers.set("Content-Type", "application/json");
        const layOut = (text: string): Awaitable<string> => {
          if (!prettyPrint) return text;
          return clock === undefined || text.length < longToIndent ? prettyJson(text) : inSlices(prettyJsonIncrementally(text), clock);
        };
        const write = (value: unknown, without: boolean): Awaitable<string> => {
          if (clock === undefined || !isLongToWrite(value)) return layOut(written(() => writeJson(without ? withoutNull(value) : value)));
          return inSlices(asJsonIncrementally(value, without ? withoutNull : undefined), clock).then(layOut, refuse);
        };
        if (!(body instanceof Uint8Array)) return write(body, leaveOutNull);
        return clock === undefined || body.length < longFrom ? write(fromWire(body), false) : longFromWire(body, clock).then((value) => write(value, false));
      },
      unmarshal(body) {
        if (typeof body === "object" && body !== null && !(body instanceof Uint8Array) && !(Symbol.asyncIterator in body)) return body;
        return withText<Awaitable<unknown>>(body, (text) =>
          clock === undefined || text.length < longFrom ? shaped(parseJson(text)) : parseLongJson(text, clock).then(shaped),
        );
      },
    };
  },
});

/** Length above which reading yields to other runs. */
const longFrom = 1024 * 1024;
/** Length above which indenting, which can make a string much longer, yields to other runs. */
const longToIndent = 16 * 1024;

function written(write: () => string): string {
  try {
    return write();
  } catch (cause) {
    refuse(cause);
  }
}

function refuse(cause: unknown): never {
  if (isFlowError(cause)) throw cause;
  const reason = cause instanceof Error ? (cause.message.split("\n")[0] as string) : String(cause);
  throw new FlowError("java.lang.IllegalArgumentException", `the body cannot be written as JSON: ${reason}`, { code: "json-unwritable", cause });
}

/** Received bytes that are JSON are parsed; any others are written as text. */
function fromWire(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes));
  } catch {
    return bytes;
  }
}

/** As {@link fromWire}, in slices. */
function longFromWire(bytes: Uint8Array, clock: Clock): Promise<unknown> {
  return parseLongJson(new TextDecoder().decode(bytes), clock).catch(() => bytes);
}
