// The data types that need no Java: text, bytes, JSON as bytes or data, and `java:` names of convertible types.
import { CompileError, defineStep, FlowError, type Message } from "@sluice/engine/spi";
import { asText, collectStream, isStream, textForm, type Conversion } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { parseJson, writeJson } from "../../formats/json/json-text.ts";
import { converter } from "../conversion.ts";
import { convertsBody } from "../step-guarantees.ts";

interface DataType {
  readonly convert: Conversion;
  /** The new Content-Type; undefined keeps the header. */
  readonly contentType: string | undefined;
}

const conversion = (type: string): Conversion => converter({ type, mandatory: true });
const dataTypes: ReadonlyMap<string, DataType> = new Map([
  ["text-plain", { convert: conversion("String"), contentType: "text/plain" }],
  ["application-octet-stream", { convert: conversion("byte[]"), contentType: "application/octet-stream" }],
  ["application-json", { convert: asJson, contentType: "application/json" }],
  ["application-x-struct", { convert: asData, contentType: "application/x-struct" }],
]);

export const transformDataType = defineStep({
  name: "transformDataType",
  title: "Transform data type",
  summary: "Converts the body to a named data type and sets the Content-Type header.",
  guarantees: convertsBody,
  group: "message",
  icon: "replace-all",
  paletteGroup: "data",
  card: { subtitle: "to {toType}" },
  since: "0.1",
  options: {
    fromType: f.string({ doc: "The current type; informational only, because the actual type of the body is used.", group: "advanced" }),
    toType: f.string({
      doc: "The target type: text-plain, application-octet-stream, application-json (as bytes), application-x-struct (JSON as data), or `java:<type>`, such as `java:String`.",
      required: true,
      examples: ["text-plain", "application-json", "java:java.lang.String"],
    }),
  },
  examples: [{ title: "JSON as data", yaml: "transformDataType: {toType: application-x-struct}", given: { body: '{"a":1}' }, expect: { body: { a: 1 } } }],
  compile({ toType }) {
    const type = dataType(toType);
    return ({ message }) => {
      const { body } = message;
      if (!isStream(body)) return setBody(message, type, body);
      return collectStream(body).then((bytes) => setBody(message, type, bytes));
    };
  },
});

function setBody(message: Message, { convert, contentType }: DataType, body: unknown): undefined {
  message.body = convert(body);
  if (contentType !== undefined) message.headers.set("Content-Type", contentType);
}

/** `text/plain`, `text-plain` and `plain:text-plain` are the same type. */
function dataType(text: string): DataType {
  const java = /^java:(.+)$/.exec(text)?.[1];
  if (java !== undefined) return { convert: conversion(java), contentType: undefined };
  const type = dataTypes.get(text.replace(/^(camel|plain):/, "").replace("/", "-"));
  if (type !== undefined) return type;
  throw new CompileError("type-unknown", `unknown data type '${text}'`, {
    hint: `use ${[...dataTypes.keys()].join(", ")}, or java:<type>, or convert with marshal and unmarshal`,
  });
}

const encoder = new TextEncoder();

function asJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return value;
  const data = typeof value === "object" && value !== null && textForm in value ? asText(value) : value;
  return encoder.encode(typeof data === "string" && isJson(data) ? data : writeJson(data));
}

function asData(value: unknown): unknown {
  if (value === null || value === undefined) return {};
  if (typeof value === "object" && !(value instanceof Uint8Array)) return value;
  try {
    return parseJson(asText(value));
  } catch (cause) {
    throw new FlowError("org.apache.camel.CamelExecutionException", "the body is not valid JSON and cannot be converted to application-x-struct", { cause });
  }
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
