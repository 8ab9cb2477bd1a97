// The JSON Schema of a flow document, generated from the vocabulary and the fields of routes.
import type { Fields } from "../schema/field.ts";
import { definition, definesBlock, scalarSchema, SchemaWriter } from "../schema/json-schema.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { connectorDefinitions, endpointSchema } from "./endpoint-schema.ts";
import type { ConnectorShape } from "../schema/catalog-view.ts";
import type { EntityShape, LanguageShape, Vocabulary } from "../schema/shape.ts";
import { commonFields } from "./common-fields.ts";
import { fromFields, routeFields } from "./route-fields.ts";

type Named = readonly [string, JsonSchema];

/** The id of this schema; it is not a URL. */
const schemaId = "urn:sluice:flow.schema.json";

/** With connectors, the schema includes their schemes and the options each accepts under `parameters`. */
export function flowToJsonSchema(vocabulary: Vocabulary, connectors: ReadonlyMap<string, ConnectorShape> = new Map()): JsonSchema {
  const writer = new SchemaWriter(vocabulary, commonFields, connectors.size === 0 ? [] : [definition("endpoint")]);
  const { steps, languages, formats, entities } = vocabulary;
  const { id } = commonFields;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: schemaId,
    title: "Sluice flow",
    description: "A list of routes and other top-level elements.",
    type: "array",
    items: oneKey([["route", definition("route")], ["from", definition("from")], ...references("entity", entities)]),
    $defs: {
      route: routeSchema(writer, vocabulary),
      from: writer.fields(fromFields),
      steps: { type: ["array", "null"], items: oneKey(references("step", steps)) },
      expression: oneKey([...references("language", languages), ["expression", definition("expression")]]),
      ...(connectors.size === 0 ? {} : { endpoint: endpointSchema(connectors), ...connectorDefinitions(connectors, writer) }),
      ...definitions("step", steps, (shape) => shortOr(shape.shorthand, writer.fields(shape.options, commonFields))),
      ...definitions("language", languages, (shape) => languageSchema(writer, shape)),
      ...definitions("format", formats, (shape) => shortOr(shape.shorthand, writer.fields(shape.options, { id }))),
      ...definitions("entity", entities, (shape) => entitySchema(writer, shape)),
    },
  };
}

function references(kind: string, shapes: ReadonlyMap<string, unknown>): Named[] {
  return [...shapes.keys()].map((name) => [name, definition(`${kind}.${name}`)] as const);
}

function definitions<T extends { readonly name: string; readonly title: string; readonly summary: string }>(
  kind: string,
  shapes: ReadonlyMap<string, T>,
  write: (shape: T) => JsonSchema,
): JsonSchema {
  return Object.fromEntries(
    [...shapes.values()].map((shape) => [`${kind}.${shape.name}`, { title: shape.title, description: shape.summary, ...write(shape) }]),
  );
}

function oneKey(entries: readonly Named[]): JsonSchema {
  return { type: "object", properties: Object.fromEntries(entries), minProperties: 1, maxProperties: 1, additionalProperties: false };
}

function shortOr(shorthand: string | undefined, schema: JsonSchema): JsonSchema {
  return shorthand === undefined ? schema : { anyOf: [schema, scalarSchema] };
}

function routeSchema(writer: SchemaWriter, vocabulary: Vocabulary): JsonSchema {
  const route = writer.fields(routeFields(vocabulary)) as { properties: Record<string, JsonSchema> };
  return { ...route, properties: { ...route.properties, from: definition("from") }, required: ["from"] };
}

function languageSchema(writer: SchemaWriter, shape: LanguageShape): JsonSchema {
  const object = writer.fields(shape.options) as { properties: Record<string, JsonSchema>; required?: readonly string[] };
  const textKey = shape.textKey ?? "expression";
  const text = { type: [...scalarSchema.type, "null"] };
  const { otherTextKeys = [] } = shape;
  const properties = { [textKey]: text, ...Object.fromEntries(otherTextKeys.map((key) => [key, text])), id: scalarSchema, ...object.properties };
  // Where several keys may contain the text, the schema does not say which one does.
  const required = [...new Set([...(otherTextKeys.length === 0 ? [textKey] : []), ...(object.required ?? [])])];
  return { anyOf: [text, { ...object, properties, ...(required.length === 0 ? {} : { required }) }] };
}

const noFields: Fields = {};

function entitySchema(writer: SchemaWriter, shape: EntityShape): JsonSchema {
  if (shape.raw === true) return { type: "object" };
  const item = shortOr(shape.shorthand, writer.fields(shape.options, definesBlock(shape.options) ? commonFields : noFields));
  return shape.many === true ? { type: "array", items: item } : item;
}
