// JSON Schemas of documents other than flows, written as plain data: their readers take the allowed names and values from them, so that what
// an editor proposes, what the reference describes and what the runtime accepts cannot differ.
import type { JsonSchema } from "./json-schema.ts";

/** An object without members other than these. */
export interface ClosedObject extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

export const closedObject = (properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): ClosedObject => ({
  type: "object",
  properties,
  ...more,
  additionalProperties: false,
});

export const memberNames = ({ properties }: ClosedObject): readonly string[] => Object.keys(properties);

/** A schema as a file; `kind` is the name of the kind of document, as in `sluice schema <kind>`. */
export const documentSchema = (kind: string, title: string, schema: JsonSchema): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: `urn:sluice:${kind}.schema.json`,
  title,
  ...schema,
});
