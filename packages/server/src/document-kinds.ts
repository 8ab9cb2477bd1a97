// The kinds of documents that users write. To add one, add a line here: `sluice schema`, the reference and the test of the editor set-up follow it.
import { flowTestSchema } from "@sluice/flow-tests";
import { mappingSchema, tableSchema } from "@sluice/mapping";
import { flowToJsonSchema, type JsonSchema } from "@sluice/model";
import { policyDocumentSchema } from "./access/policy-schema.ts";
import { createCatalog } from "./catalog.ts";
import { connectionSchema } from "./connections/connection-schema.ts";
import { noPlugins, type Plugins } from "./plugins/load-plugins.ts";

interface DocumentKind {
  readonly title: string;
  /** Where such documents are, as in the settings of editors. */
  readonly files: readonly string[];
  schema(plugins: Plugins): JsonSchema | Promise<JsonSchema>;
}

export const documentKinds = {
  flow: { title: "Flow", files: ["flow.yaml", "flows/*.yaml"], schema: flowSchema },
  test: { title: "Flow tests", files: ["test.yaml", "*.test.yaml"], schema: flowTestSchema },
  connection: { title: "Connection", files: ["connections/*.json", "connections/*.yaml"], schema: connectionsSchema },
  policy: { title: "Access policy", files: ["policies/*.json"], schema: policyDocumentSchema },
  "message-mapping": { title: "Message mapping", files: ["message-mappings/*.json", "message-mappings/*.yaml"], schema: mappingSchema },
  "value-mapping": { title: "Value mapping", files: ["value-mappings/*.json", "value-mappings/*.yaml"], schema: tableSchema },
} as const satisfies Record<string, DocumentKind>;

export type DocumentKindName = keyof typeof documentKinds;

/** The JSON Schema of one kind of document, including plug-ins. */
export const schemaOfKind = async (kind: DocumentKindName, plugins: Plugins = noPlugins): Promise<JsonSchema> => documentKinds[kind].schema(plugins);

async function flowSchema(plugins: Plugins): Promise<JsonSchema> {
  const catalog = createCatalog({ plugins });
  await catalog.index.loadAll();
  return flowToJsonSchema(catalog, catalog.connectors);
}

async function connectionsSchema(plugins: Plugins): Promise<JsonSchema> {
  const { connectionTypes } = createCatalog({ plugins });
  await Promise.all(connectionTypes.details().map(({ type }) => connectionTypes.load(type)));
  return connectionSchema(connectionTypes.loaded.values());
}
