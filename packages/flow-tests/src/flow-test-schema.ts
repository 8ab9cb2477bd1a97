// The JSON Schema of flow-test files, derived from the shape that reads them.
import { documentSchema, mockShape, type JsonSchema } from "@sluice/model";
import { z } from "zod";
import { assertions, defaultsShape, fileShape, generateShape, readByCode, testShape, triggers } from "./flow-test-shape.ts";

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });
const oneOf = (kind: string, shapes: object): JsonSchema => ({ oneOf: Object.keys(shapes).map((name) => ref(`${kind}.${name}`)) });

const calls = oneOf("call", triggers);

/** The schema of each part that is read by code. */
const readByCodeSchemas: ReadonlyMap<unknown, JsonSchema> = new Map<unknown, JsonSchema>([
  [readByCode.calls, { anyOf: [...(calls["oneOf"] as readonly JsonSchema[]), { type: "array", minItems: 1, items: calls }] }],
  [readByCode.assertion, oneOf("assertion", assertions)],
  [readByCode.rows, { type: "array", minItems: 1, items: { type: "object" } }],
]);

/** Parts with a section of their own in the reference. */
const sections: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [testShape, "test"],
  [mockShape, "mock"],
  [defaultsShape, "defaults"],
  [generateShape, "generate"],
]);

/** The JSON Schema of flow-test files. */
export function flowTestSchema(): JsonSchema {
  return documentSchema("test", "Sluice flow tests", {
    description: "Tests of a flow: messages, mocks of other systems, and assertions.",
    ...schemaOf(fileShape),
    $defs: {
      defaults: { title: "Defaults", ...schemaOf(defaultsShape) },
      ...inTest("test", "Test", testShape),
      ...Object.assign({}, ...Object.entries(triggers).map(([name, shape]) => inTest(`call.${name}`, `Call: ${name}`, shape))),
      ...inTest("generate", "Generated bodies", generateShape),
      ...inTest("mock", "Mock", mockShape),
      ...Object.assign({}, ...Object.entries(assertions).map(([name, shape]) => inTest(`assertion.${name}`, `Assertion: ${name}`, shape))),
      placeholder: {
        title: "Placeholder",
        description: "In a test with `each`, `${row.name}` may replace any value.",
        type: "string",
        pattern: "^\\$\\{row\\.[\\w-]+\\}$",
      },
    },
  });
}

const inTest = (name: string, title: string, shape: z.ZodType): JsonSchema => ({ [name]: { title, ...withPlaceholders(schemaOf(shape)) } });

function schemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      const section = sections.get(zodSchema);
      const replacement = section === undefined ? readByCodeSchemas.get(zodSchema) : (zodSchema as unknown) === shape ? undefined : ref(section);
      if (jsonSchema.propertyNames !== undefined) delete jsonSchema.propertyNames;
      if (replacement === undefined) return;
      const { description } = jsonSchema;
      for (const keyword of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[keyword];
      Object.assign(jsonSchema, description === undefined ? {} : { description }, replacement);
    },
  }) as JsonSchema;
  return schema;
}

/** In a test with rows, a placeholder may replace any value that is not text. */
function withPlaceholders(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema; anyOf?: readonly JsonSchema[] };
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, name === "each" ? inner : orPlaceholder(inner)])) }),
    ...(items === undefined ? {} : { items: withPlaceholders(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(withPlaceholders) }),
  };
}

function orPlaceholder(schema: JsonSchema): JsonSchema {
  const inner = withPlaceholders(schema);
  const { type, enum: values, description, default: value, ...rest } = inner;
  const isOpen = type === undefined && !["$ref", "anyOf", "oneOf"].some((keyword) => keyword in inner);
  if (isOpen || (type === "string" && values === undefined)) return inner;
  const about = { ...(description === undefined ? {} : { description }), ...(value === undefined ? {} : { default: value }) };
  const plain = { ...(type === undefined ? {} : { type }), ...(values === undefined ? {} : { enum: values }), ...rest };
  const choices = Object.keys(plain).join() === "anyOf" ? (plain as { anyOf: readonly JsonSchema[] }).anyOf : [plain];
  return { ...about, anyOf: [...choices, ref("placeholder")] };
}
