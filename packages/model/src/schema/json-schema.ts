// JSON Schema (2020-12) of declared options, for editors, the designer and the reference. It is never stricter than the binder, which reports
// clearer errors.
import { describe } from "./field.ts";
import type { Field, FieldInfo, Fields } from "./field.ts";
import type { Vocabulary } from "./shape.ts";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export const scalarSchema = { type: ["string", "number", "boolean"] } as const;
export const definition = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
const noFields: Fields = {};

/** The schema of one declaration's options. */
export function fieldsToJsonSchema(fields: Fields): JsonSchema {
  return new SchemaWriter().fields(fields);
}

/** Writes schemas. With a vocabulary, expressions, steps and formats are references into the definitions of the flow schema. */
export class SchemaWriter {
  readonly #vocabulary: Vocabulary | undefined;
  readonly #common: Fields;
  /** Applies to every element with `uri` and `parameters`. */
  readonly #endpoints: readonly JsonSchema[];

  /** `common` are the options of every block, such as a `when`. */
  constructor(vocabulary?: Vocabulary, common: Fields = noFields, endpoints: readonly JsonSchema[] = []) {
    this.#vocabulary = vocabulary;
    this.#common = common;
    this.#endpoints = endpoints;
  }

  fields(fields: Fields, more: Fields = noFields): JsonSchema {
    const properties = Object.create(null) as Record<string, JsonSchema>;
    const required: string[] = [];
    const choices: JsonSchema[] = [];
    for (const [name, field] of Object.entries({ ...more, ...fields })) {
      const info = describe(field);
      if (info.spec.unsupported !== undefined) continue;
      const keys = this.#inlineKeys(info, name);
      if (keys === undefined) {
        properties[name] = this.field(field);
        if (info.spec.required === true) required.push(name);
        continue;
      }
      for (const [key, schema] of keys) properties[key] ??= schema;
      const single = [...keys.keys()].map((key) => ({ required: [key] }));
      choices.push({ oneOf: info.spec.required === true ? single : [...single, { not: { anyOf: single } }] });
    }
    if (Object.hasOwn(properties, "uri") && Object.hasOwn(properties, "parameters")) choices.push(...this.#endpoints);
    return {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required }),
      ...(choices.length === 0 ? {} : { allOf: choices }),
      additionalProperties: false,
    };
  }

  /** The keys an inline expression or a data format may have. */
  #inlineKeys(info: FieldInfo, name: string): Map<string, JsonSchema> | undefined {
    const vocabulary = this.#vocabulary;
    if (vocabulary === undefined) return undefined;
    if (info.kind === "expression" && info.inline === true) {
      const languages = [...vocabulary.languages.keys()].map((key) => [key, definition(`language.${key}`)] as const);
      return new Map([...languages, ["expression", definition("expression")], [name, definition("expression")]]);
    }
    if (info.kind !== "format") return undefined;
    const formats = [...vocabulary.formats.keys()].map((key) => [key, definition(`format.${key}`)] as const);
    return new Map([...formats, [name, { type: "object", minProperties: 1, maxProperties: 1 }]]);
  }

  field(field: Field<unknown>): JsonSchema {
    const info = describe(field);
    const { doc, title, secret, group, examples } = info.spec;
    return {
      ...(doc === "" ? {} : { description: doc }),
      ...(title === undefined ? {} : { title }),
      ...this.#value(info),
      ...defaultOf(info),
      ...(examples === undefined ? {} : { examples }),
      ...(secret === true ? { writeOnly: true } : {}),
      ...(group === undefined ? {} : { "x-group": group }),
      "x-kind": info.kind,
    };
  }

  /** Booleans, numbers and enum values may also be text, since a placeholder may replace any of them. */
  #value(info: FieldInfo): JsonSchema {
    switch (info.kind) {
      case "string":
        return scalarSchema;
      case "uri":
        return { type: "string" };
      case "boolean":
        return { type: ["boolean", "string"] };
      case "integer":
      case "number":
        return { type: [info.kind, "string"], ...boundsOf(info) };
      case "duration":
      case "size":
        return { type: ["integer", "string"] };
      case "enum":
        return { anyOf: [{ enum: info.values }, { type: "string" }] };
      case "parameters":
        return info.nested === true ? { type: "object" } : { type: "object", additionalProperties: scalarSchema };
      case "expression":
        return this.#vocabulary === undefined ? { type: "object" } : definition("expression");
      case "steps":
        return this.#vocabulary === undefined ? { type: "array", items: { type: "object" } } : definition("steps");
      case "format":
        return { type: "object", minProperties: 1, maxProperties: 1 };
      case "list":
        return this.#list(info.item as Field<unknown>);
      case "object":
        return this.#object(info);
    }
  }

  #list(item: Field<unknown>): JsonSchema {
    const list = { type: "array", items: this.field(item) };
    return scalarKinds.has(describe(item).kind) ? { anyOf: [list, { type: "string" }] } : list;
  }

  #object(info: FieldInfo): JsonSchema {
    const fields = info.fields as Fields;
    const object = this.fields(fields, definesBlock(fields) ? this.#common : noFields);
    return info.shorthand === undefined ? object : { anyOf: [object, scalarSchema] };
  }
}

const scalarKinds: ReadonlySet<string> = new Set(["string", "boolean", "integer", "number", "duration", "size", "enum", "uri"]);

/** True for options that form a block: they contain steps or an inline expression. */
export function definesBlock(fields: Fields): boolean {
  return Object.values(fields).some((field) => {
    const { kind, inline } = describe(field);
    return kind === "steps" || (kind === "expression" && inline === true);
  });
}

function defaultOf({ kind, spec }: FieldInfo): JsonSchema {
  const plain = spec.default !== undefined && kind !== "expression" && kind !== "steps" && kind !== "format";
  return plain ? { default: spec.default } : {};
}

function boundsOf({ spec }: FieldInfo): JsonSchema {
  const { min, max } = spec as { min?: number; max?: number };
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}
