// The field transforms of Camel's Kafka component, used by the `*-field-action` Kamelets.
import { defineBean, FlowError, type Exchange } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { simple } from "../../languages/simple/simple.ts";
import { jsonBody, namesIn, objectBody, textProperty, type JsonObject } from "./json-object.ts";
import { transformClasses } from "./transform-classes.ts";

const commonMembers = { kind: "function", group: "kafka", since: "0.1" } as const;

export const dropField = defineBean({
  ...commonMembers,
  names: transformClasses("DropField"),
  title: "Drop field",
  summary: "Removes a field from a JSON object.",
  properties: { field: f.string({ doc: "The field to remove.", required: true }) },
  create:
    ({ field }) =>
    (exchange: Exchange): void => {
      const body = jsonBody(exchange);
      if (!Array.isArray(body)) delete (body as JsonObject)[field];
      exchange.message.body = body;
    },
});

const defaultHeader = "CamelKameletsExtractFieldName";

export const extractField = defineBean({
  ...commonMembers,
  names: transformClasses("ExtractField"),
  title: "Extract field",
  summary: "Replaces a JSON object with one of its fields, or copies the field to a header.",
  properties: {
    field: f.string({ doc: "The field to extract.", required: true }),
    headerOutput: f.boolean({ doc: "Copies the field to a header and leaves the body unchanged.", default: false }),
    headerOutputName: f.string({ doc: "Name of the header; `none` uses `CamelKameletsExtractFieldName`.", default: "none" }),
    strictHeaderCheck: f.boolean({ doc: "Extracts into the body when the header is already set.", default: false }),
    trimField: f.boolean({ doc: "Sets the exchange property `trimField`, which the Kamelet reads.", default: false }),
  },
  create: ({ field, headerOutput, headerOutputName, strictHeaderCheck, trimField }) => {
    const header = headerOutputName === "" || headerOutputName.toLowerCase() === "none" ? defaultHeader : headerOutputName;
    return (exchange: Exchange): void => {
      const { headers } = exchange.message;
      const value = objectBody(exchange)[field] ?? null;
      if (!headerOutput || (strictHeaderCheck && headers.has(header))) exchange.message.body = value;
      else headers.set(header, value);
      exchange.setProperty("trimField", String(trimField));
    };
  },
});

export const insertField = defineBean({
  ...commonMembers,
  names: transformClasses("InsertField"),
  title: "Insert field",
  summary: "Adds a field to a JSON object, or an item to a JSON array.",
  properties: {
    field: f.string({ doc: "The field to add.", required: true }),
    value: f.text({ doc: "Value of the field; Simple functions such as `${header.id}` are evaluated.", required: true }),
  },
  create: ({ field, value }, host) => {
    const route = { id: "insert-field", flowId: "", flowHash: "" };
    const nothing = (): undefined => undefined;
    const evaluate = simple.compile(value, {}, { host, route, property: nothing, language: nothing, bean: nothing });
    return (exchange: Exchange): void => {
      const body = jsonBody(exchange);
      const text = asText(evaluate(exchange));
      if (Array.isArray(body)) body.push(text);
      else (body as JsonObject)[field] = text;
      exchange.message.body = body;
    };
  },
});

export const hoistField = defineBean({
  ...commonMembers,
  names: transformClasses("HoistField"),
  title: "Hoist field",
  summary: "Wraps the body in an object with one field, whose name is the exchange property `field`.",
  properties: {},
  create:
    () =>
    (exchange: Exchange): JsonObject => {
      const { body } = exchange.message;
      return { [textProperty(exchange, "field") ?? "null"]: body instanceof Uint8Array ? asText(body) : body };
    },
});

export const maskField = defineBean({
  ...commonMembers,
  names: transformClasses("MaskField"),
  title: "Mask field",
  summary: "Replaces the values of the fields listed in the exchange property `fields` with the property `replacement`, or with an empty value of their type.",
  properties: {},
  create:
    () =>
    (exchange: Exchange): JsonObject => {
      const fields = new Set(namesIn(exchange.property("fields")));
      const replacement = textProperty(exchange, "replacement");
      return Object.fromEntries(
        Object.entries(objectBody(exchange)).map(([name, value]) => [name, fields.has(name) ? maskValue(name, value, replacement) : value]),
      );
    },
});

function maskValue(name: string, value: unknown, replacement: string | undefined): unknown {
  if (value === null) return null;
  if (typeof value === "string") return replacement ?? "";
  if (typeof value === "number" || typeof value === "bigint") {
    const number = Number(replacement ?? 0);
    if (!Number.isNaN(number)) return number;
    throw new FlowError("java.lang.IllegalArgumentException", `field '${name}' is a number and cannot be masked with '${replacement}'`, {
      code: "kafka-transform",
    });
  }
  if (replacement !== undefined)
    throw new FlowError("java.lang.IllegalArgumentException", `field '${name}' is neither text nor a number and cannot be masked with a replacement`, {
      code: "kafka-transform",
    });
  return typeof value === "boolean" ? false : Array.isArray(value) ? [] : {};
}

export const replaceField = defineBean({
  ...commonMembers,
  names: transformClasses("ReplaceField"),
  title: "Replace field",
  summary:
    "Renames fields as listed in the exchange property `renames` (`a:b,c:d`) and keeps those that `enabled` and `disabled` allow; without `renames`, all fields are kept.",
  properties: {},
  create:
    () =>
    (exchange: Exchange): JsonObject => {
      const readNames = (name: string, everything: string): readonly string[] => {
        const text = textProperty(exchange, name);
        return text?.toLowerCase() === everything ? [] : namesIn(text);
      };
      const enabled = readNames("enabled", "all");
      const disabled = readNames("disabled", "none");
      const renames = new Map(namesIn(exchange.property("renames")).map((pair) => pair.split(":", 2) as [string, string]));
      const body = objectBody(exchange);
      // As in Camel, fields are filtered only when some are renamed.
      if (renames.size === 0) return body;
      const entries = Object.entries(body).filter(([name]) => !disabled.includes(name) && (enabled.length === 0 || enabled.includes(name)));
      return entries.length === 0 ? body : Object.fromEntries(entries.map(([name, value]) => [renames.get(name) ?? name, value]));
    },
});

export const valueToKey = defineBean({
  ...commonMembers,
  names: transformClasses("ValueToKey"),
  title: "Value to key",
  summary: "Sets the header `kafka.KEY` to an object with the fields listed in the exchange property `fields`.",
  properties: {},
  create:
    () =>
    (exchange: Exchange): void => {
      const fields = new Set(namesIn(exchange.property("fields")));
      exchange.message.headers.set("kafka.KEY", Object.fromEntries(Object.entries(objectBody(exchange)).filter(([name]) => fields.has(name))));
    },
});
