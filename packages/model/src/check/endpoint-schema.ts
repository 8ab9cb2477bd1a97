// The connector part of the flow schema: the schemes and the options of each.
import type { SchemaWriter, JsonSchema } from "../schema/json-schema.ts";
import { definition } from "../schema/json-schema.ts";
import type { ConnectorShape } from "../schema/catalog-view.ts";

/** For an element with `uri` and `parameters`: proposes schemes and, once one is written, checks and proposes its parameters. */
export function endpointSchema(connectors: ReadonlyMap<string, ConnectorShape>): JsonSchema {
  return {
    properties: { uri: { anyOf: [{ enum: [...connectors.keys()] }, { type: "string" }], examples: [...connectors.values()].map(({ syntax }) => syntax) } },
    allOf: [...connectors].map(([scheme, { scheme: connectorScheme }]) => ({
      if: { properties: { uri: { type: "string", pattern: `^\\s*${escapeRegExp(scheme)}\\s*(:|\\?|$)` } }, required: ["uri"] },
      then: { properties: { parameters: definition(`connector.${connectorScheme}`) } },
    })),
  };
}

/** One definition per connector; kebab-case option names are left to the runtime. */
export function connectorDefinitions(connectors: ReadonlyMap<string, ConnectorShape>, writer: SchemaWriter): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  for (const { scheme, title, summary, path, options, lenient, prefixes = [] } of connectors.values()) {
    const { properties } = writer.fields({ ...path, ...options }) as { readonly properties: JsonSchema };
    definitions[`connector.${scheme}`] = {
      title,
      description: summary,
      type: "object",
      properties,
      ...(lenient === true
        ? {}
        : {
            patternProperties: { "-": true, ...Object.fromEntries(prefixes.map((prefix) => [`^${escapeRegExp(prefix)}`, true])) },
            additionalProperties: false,
          }),
    };
  }
  return definitions;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.+*?^${}()|[\]\\]/g, String.raw`\$&`);
}
