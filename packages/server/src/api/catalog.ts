// The declarations as JSON and the JSON Schema of the flow language, for tools.
import { exceptionTypeNames } from "@sluice/engine/tools";
import { toPlain } from "@sluice/engine/values";
import { catalogView, commonFields, f, flowToJsonSchema, fromFields, routeFields, type CatalogParts, type CatalogView } from "@sluice/model";
import { createHash } from "node:crypto";
import { z } from "zod";
import type { ServerCatalog } from "../catalog.ts";
import type { InstalledKamelets } from "../kamelets/installed-kamelets.ts";
import type { KameletMetadata } from "../kamelets/kamelet-metadata.ts";
import { catalogShape } from "./catalog-shape.ts";
import { defineEndpoint, shape, type Endpoint, type Reply } from "./endpoint.ts";

/** The catalog as JSON. Connectors that are not loaded are listed without options. */
export function describeCatalog(catalog: ServerCatalog, plugins: CatalogView["plugins"] = [], kamelets: CatalogParts["kamelets"] = []): CatalogView {
  const unloaded = catalog.index.entries().filter(({ scheme }) => !catalog.connectors.has(scheme));
  const connections = new Map(catalog.connectionTypes.loaded);
  return toPlain(
    catalogView({
      ...catalog,
      connections,
      unloaded,
      plugins,
      kamelets,
      exceptions: exceptionTypeNames(),
      common: commonFields,
      route: routeFields(catalog),
      from: fromFields,
    }),
  ) as CatalogView;
}

export function catalogEndpoints(catalog: ServerCatalog, plugins: CatalogView["plugins"], installed: InstalledKamelets): readonly Endpoint[] {
  const catalogJson = cachedJson(catalog, (kamelets: readonly KameletMetadata[]) => {
    const usable = kamelets.flatMap(({ about }) => (about === undefined ? [] : [about]));
    return describeCatalog(catalog, plugins, usable);
  });
  const schemaJson = cachedJson(catalog, () => flowToJsonSchema(catalog, catalog.connectors));
  return [
    defineEndpoint({
      method: "GET",
      path: "/catalog",
      tag: "catalog",
      summary: "Returns everything that flows can use",
      description:
        "Steps, connectors, languages, formats, top-level elements, beans and Kamelets with their options. Connectors that no flow uses are listed without options, unless `full` or `scheme` loads them.",
      query: {
        full: f.boolean({ doc: "Load all connectors and connection types, so that their options are included.", default: false }),
        scheme: f.string({ doc: "Load the connector of this scheme, so that its options are included." }),
      },
      tagged: true,
      errors: [],
      replies: {
        200: {
          description: "The declarations. Connectors that are not loaded are listed with `loaded: false` and without options.",
          schema: catalogShape,
        },
      },
      async handle({ query }) {
        if (query.full === true) await catalog.index.loadAll();
        else if (query.scheme !== undefined) await catalog.index.load([{ kind: "connectors", name: query.scheme }]);
        return jsonReply(catalogJson(await installed.list()), "application/json");
      },
    }),
    defineEndpoint({
      method: "GET",
      path: "/schema",
      tag: "catalog",
      summary: "Returns the JSON Schema of the flow language",
      description: "Draft 2020-12, for YAML editors.",
      tagged: true,
      errors: [],
      replies: {
        200: { description: "The schema.", schema: shape(() => ({ $schema: z.string() })), mediaType: "application/schema+json" },
      },
      async handle() {
        await catalog.index.loadAll();
        return jsonReply(schemaJson([]), "application/schema+json");
      },
    }),
  ];
}

interface JsonText {
  readonly text: string;
  readonly etag: string;
}

/** Caches the JSON text until a declaration is loaded or replaced, or a Kamelet changes. */
function cachedJson(
  { connectors, beans, connectionTypes }: ServerCatalog,
  create: (kamelets: readonly KameletMetadata[]) => unknown,
): (kamelets: readonly KameletMetadata[]) => JsonText {
  let cached: JsonText | undefined;
  let version: readonly unknown[] = [];
  return (kamelets) => {
    const declarations = [connectors, beans, connectionTypes.loaded].flatMap((parts) => [...(parts as ReadonlyMap<string, object>)].flat());
    const currentVersion = [...declarations, ...kamelets.flatMap(({ name, hash }) => [name, hash])];
    if (cached !== undefined && version.length === currentVersion.length && version.every((part, index) => part === currentVersion[index])) return cached;
    const text = JSON.stringify(create(kamelets));
    version = currentVersion;
    cached = { text, etag: `"${createHash("sha256").update(text).digest("hex").slice(0, 32)}"` };
    return cached;
  };
}

const jsonReply = ({ text, etag }: JsonText, type: string): Reply => ({
  status: 200,
  text,
  headers: { "Content-Type": `${type}; charset=utf-8`, ETag: etag },
});
