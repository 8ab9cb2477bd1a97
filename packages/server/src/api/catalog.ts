// What this runtime knows, for tools: the declarations as JSON and the JSON Schema of the flow language.
import { toPlain, type Catalog, type Host } from "@sluice/engine";
import { catalogView, commonFields, flowToJsonSchema, fromFields, routeFields, type CatalogView, type ConnectorRole, type ConnectorShape } from "@sluice/model";
import { createHash } from "node:crypto";
import { z } from "zod";
import { catalogShape } from "./catalog-shape.ts";
import { defineEndpoint, shape, type Call, type Endpoint, type Reply } from "./endpoint.ts";

const roles: readonly ConnectorRole[] = ["source", "sink", "poller"];

/** The whole catalogue as JSON data. Connecting starts nothing, so asking an instance what it can do is safe. */
export function describeCatalog(catalog: Catalog, host: Host): CatalogView {
  const rolesOf = ({ scheme }: ConnectorShape): readonly ConnectorRole[] => {
    const made = catalog.connectors.get(scheme)?.connect(host);
    return roles.filter((role) => made?.[role] !== undefined);
  };
  return toPlain(catalogView({ ...catalog, common: commonFields, route: routeFields(catalog), from: fromFields, rolesOf })) as CatalogView;
}

export function catalogEndpoints(catalog: Catalog, host: Host): readonly Endpoint[] {
  const described = lazily(() => describeCatalog(catalog, host));
  const schema = lazily(() => flowToJsonSchema(catalog));
  return [
    defineEndpoint({
      method: "GET",
      path: "/catalog",
      tag: "catalog",
      summary: "Every step, connector, language, format, entity and bean with its options",
      replies: {
        200: {
          description: "The declarations.",
          schema: catalogShape,
        },
        304: { description: "Not changed since the ETag of If-None-Match." },
      },
      handle: (call) => unlessKnown(described(), "application/json", call),
    }),
    defineEndpoint({
      method: "GET",
      path: "/schema",
      tag: "catalog",
      summary: "The JSON Schema (draft 2020-12) of the flow language, for YAML editors",
      replies: {
        200: { description: "The schema.", schema: shape(() => ({ $schema: z.string() })), mediaType: "application/schema+json" },
        304: { description: "Not changed since the ETag of If-None-Match." },
      },
      handle: (call) => unlessKnown(schema(), "application/schema+json", call),
    }),
  ];
}

interface Rendered {
  readonly text: string;
  readonly etag: string;
}

/** The declarations never change while a runtime lives: made at the first call, kept as text. */
function lazily(make: () => unknown): () => Rendered {
  let rendered: Rendered | undefined;
  return () => {
    if (rendered !== undefined) return rendered;
    const text = JSON.stringify(make());
    rendered = { text, etag: `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"` };
    return rendered;
  };
}

function unlessKnown({ text, etag }: Rendered, type: string, { headers }: Call): Reply {
  const known = headers["if-none-match"]?.split(",").some((tag) => tag.trim() === etag) === true;
  return known ? { status: 304, text: "", headers: { etag } } : { status: 200, text, headers: { "content-type": `${type}; charset=utf-8`, etag } };
}
