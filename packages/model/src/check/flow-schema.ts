// The JSON Schema of a whole flow document, made from the vocabulary and the fields of routes.
import type { Fields } from "../schema/field.ts";
import { definition, holdsSteps, scalarSchema, SchemaWriter } from "../schema/json-schema.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { EntityShape, LanguageShape, Vocabulary } from "../schema/shape.ts";
import { commonFields } from "./common-fields.ts";
import { fromFields, routeFields } from "./route-fields.ts";

type Named = readonly [string, JsonSchema];

export function flowToJsonSchema(vocabulary: Vocabulary): JsonSchema {
  const writer = new SchemaWriter(vocabulary, commonFields);
  const { steps, languages, formats, entities } = vocabulary;
  const { id } = commonFields;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Sluice flow",
    description: "A list of routes and of what they share.",
    type: "array",
    items: oneKey([["route", definition("route")], ["from", definition("from")], ...references("entity", entities)]),
    $defs: {
      route: routeSchema(writer, vocabulary),
      from: writer.fields(fromFields),
      steps: { type: ["array", "null"], items: oneKey(references("step", steps)) },
      expression: oneKey([...references("language", languages), ["expression", definition("expression")]]),
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
  const properties = { [textKey]: { type: [...scalarSchema.type, "null"] }, id: scalarSchema, ...object.properties };
  return { anyOf: [{ type: [...scalarSchema.type, "null"] }, { ...object, properties, required: [...new Set([textKey, ...(object.required ?? [])])] }] };
}

const none: Fields = {};

function entitySchema(writer: SchemaWriter, shape: EntityShape): JsonSchema {
  if (shape.raw === true) return { type: "object" };
  const item = shortOr(shape.shorthand, writer.fields(shape.options, holdsSteps(shape.options) ? commonFields : none));
  return shape.many === true ? { type: "array", items: item } : item;
}
