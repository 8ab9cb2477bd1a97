// Routes that are not written out: each templatedRoute makes one from a routeTemplate, and words such as `rest` say
// themselves which routes they mean.
import type { FlowDocument, RouteNode } from "@sluice/model";
import type { Catalog } from "../spi/declaration.ts";
import type { DiagnosticSink } from "./diagnostics.ts";
import type { TemplateLibrary } from "./template-library.ts";

export function expandRoutes(
  flow: FlowDocument,
  catalog: Catalog,
  templates: TemplateLibrary,
  diagnostics: DiagnosticSink,
  flowId: string,
): readonly RouteNode[] {
  const routes = [...flow.routes];
  for (const entity of flow.entities) {
    if (entity.name !== "templatedRoute") continue;
    const made = templates.route(entity, new Set(routes.map(({ id }) => id)));
    if (made !== undefined) routes.push(made);
  }
  for (const entity of flow.entities) {
    const expand = catalog.entities.get(entity.name)?.expand;
    if (expand !== undefined) routes.push(...diagnostics.attempt(entity, () => expand(entity, { flowId, entities: flow.entities }), []));
  }
  return routes;
}
