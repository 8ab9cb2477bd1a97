// Generated routes: a templatedRoute creates one from a routeTemplate, entities such as `rest` expand to routes or adapt them, and a
// route whose source is a Kamelet gets the Kamelet's trigger.
import { isTemplateEndpoint, type FlowDocument, type RouteNode } from "@sluice/model";
import { CompileError } from "../spi/compiler.ts";
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
    const templated = templates.route(entity, new Set(routes.map(({ id }) => id)));
    if (templated !== undefined) routes.push(templated);
  }
  for (const entity of flow.entities) {
    const adapt = catalog.entities.get(entity.name)?.adapt;
    if (adapt === undefined) continue;
    routes.forEach((route, index) => {
      routes[index] = diagnostics.attempt(entity, () => adapt(entity, route, { flowId, entities: flow.entities }), route);
    });
  }
  for (const entity of flow.entities) {
    const expand = catalog.entities.get(entity.name)?.expand;
    if (expand !== undefined) routes.push(...diagnostics.attempt(entity, () => expand(entity, { flowId, entities: flow.entities }), []));
  }
  return routes.map((route) => withKameletSource(route, templates, diagnostics));
}

/** Replaces `from: kamelet:x` with the Kamelet's trigger, and places the Kamelet's steps around those of the route. */
function withKameletSource(route: RouteNode, templates: TemplateLibrary, diagnostics: DiagnosticSink): RouteNode {
  const { span, uri } = route.from;
  return diagnostics.attempt(
    { span, routeId: route.id },
    () => {
      if (isTemplateEndpoint(uri))
        throw new CompileError("kamelet-endpoint", `'${uri}' can be used only inside a template`, { hint: "use another endpoint in 'from'" });
      return templates.withSource(route);
    },
    // The route's own steps are still checked.
    { ...route, from: { uri: "kamelet:source", parameters: {}, span } },
  );
}
