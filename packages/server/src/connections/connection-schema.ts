// The declaration of connection documents: the readers take the allowed members from here; the values follow from the connection types.
import type { ConnectionDeclaration } from "@sluice/engine/spi";
import {
  closedObject,
  describe,
  documentSchema,
  fieldsToJsonSchema,
  memberNames,
  type ClosedObject,
  type Field,
  type Fields,
  type JsonSchema,
} from "@sluice/model";

export const maxTitleLength = 200;

const members = {
  type: { type: "string", minLength: 1, description: "Connection type." },
  title: { type: "string", maxLength: maxTitleLength, description: "Title for people." },
  values: { type: "object", description: "Values of the fields of the type. A value may also be one of the objects below." },
} satisfies Record<string, JsonSchema>;
export const connectionMembers: readonly string[] = Object.keys(members);

const references = {
  variable: closedObject(
    { env: { type: "string", description: "Name of an environment variable of the runtime." } },
    { title: "Environment variable", description: "The value of an environment variable.", required: ["env"] },
  ),
  file: closedObject(
    { file: { type: "string", description: "Name of a file below `SERVICE_SECRETS_DIR`." } },
    { title: "Mounted file", description: "The content of a file, without its trailing line break.", required: ["file"] },
  ),
  secret: closedObject(
    {
      value: { type: ["string", "number", "boolean"], description: "The value. The API shows it as `***`, which keeps the stored one.", writeOnly: true },
      secret: { const: true, description: "Marks the value as secret." },
    },
    { title: "Stored secret", description: "The value itself.", required: ["value", "secret"] },
  ),
} satisfies Record<string, ClosedObject>;

/** The members of each form in which a value can be given indirectly. */
export const referenceMembers: readonly (readonly string[])[] = Object.values(references).map(memberNames);

const indirect = Object.keys(references).map((name) => ({ $ref: `#/$defs/${name}` }));

/** The JSON Schema of connection documents of these types. */
export function connectionSchema(types: Iterable<ConnectionDeclaration>): JsonSchema {
  const sorted = [...types].toSorted((left, right) => (left.type < right.type ? -1 : 1));
  const names = sorted.map(({ type }) => type);
  return documentSchema("connection", "Sluice connection", {
    description: "Address and credentials of a database, a broker or another system.",
    ...closedObject({ ...members, type: { ...members.type, enum: names } }, { required: ["type"] }),
    allOf: sorted.map(({ type, fields }) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      then: {
        properties: { values: { $ref: `#/$defs/values.${type}` } },
        ...(requiredNames(fields as Fields).length === 0 ? {} : { required: ["values"] }),
      },
    })),
    $defs: {
      ...Object.fromEntries(sorted.map(({ type, title, fields }) => [`values.${type}`, valuesSchema(fields as Fields, { title: `Values of ${title}` })])),
      ...references,
    },
  });
}

function valuesSchema(fields: Fields, more: JsonSchema = {}): ClosedObject {
  const required = requiredNames(fields);
  return closedObject(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueSchema(field)])), {
    ...more,
    ...(required.length === 0 ? {} : { required }),
  });
}

function valueSchema(field: Field<unknown>): JsonSchema {
  const { fields } = describe(field);
  const { properties } = fieldsToJsonSchema({ value: field }) as ClosedObject;
  const { description, title, ...plain } = properties["value"] as JsonSchema;
  const about = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
  return { ...about, anyOf: [fields === undefined ? plain : valuesSchema(fields), ...indirect] };
}

const requiredNames = (fields: Fields): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => (describe(field as Field<unknown>).spec.required === true ? [name] : []));
