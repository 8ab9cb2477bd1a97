// Routes that are not written out: each templatedRoute makes one from a routeTemplate, whose {{parameters}} get their
// values here and are bound only now; and words such as `rest` say themselves which routes they mean.
import {
  bindOptions,
  bindRoute,
  f,
  type Diagnostic,
  type EntityNode,
  type FlowDocument,
  type MapTree,
  type RouteNode,
  type Tree,
  type Values,
  type Vocabulary,
} from "@sluice/model";
import type { templatedRouteFields } from "../entities/template-entities.ts";
import type { FlowInput } from "../run/runtime.ts";
import type { Catalog } from "../spi/declaration.ts";
import type { DiagnosticSink } from "./diagnostics.ts";

const parameterFields = {
  parameters: f.list(
    f.object(
      {
        name: f.string({ doc: "Name.", required: true }),
        defaultValue: f.text({ doc: "Value when none is given." }),
        required: f.boolean({ doc: "False: it may be left out." }),
        description: f.string({ doc: "For readers." }),
      },
      { doc: "One parameter.", required: true },
    ),
    { doc: "The template's parameters.", default: [] },
  ),
} as const;

interface Template {
  readonly tree: MapTree;
  readonly parameters: Values<typeof parameterFields>["parameters"];
}

export function expandRoutes(flow: FlowDocument, vocabulary: Catalog, diagnostics: DiagnosticSink, input: FlowInput): readonly RouteNode[] {
  const report = (found: readonly Diagnostic[]): void => void diagnostics.found.push(...found);
  const templates = new Map<string, Template>();
  for (const entity of flow.entities) if (entity.name === "routeTemplate") readTemplate(entity, templates, vocabulary, input, report);
  const routes = [...flow.routes];
  for (const entity of flow.entities) {
    if (entity.name !== "templatedRoute") continue;
    const made = makeRoute(entity, templates, routes, vocabulary, input, report);
    if (made !== undefined) routes.push(made);
  }
  for (const entity of flow.entities) {
    const expand = vocabulary.entities.get(entity.name)?.expand;
    if (expand !== undefined) routes.push(...diagnostics.attempt(entity, () => expand(entity, { flowId: input.id, entities: flow.entities }), []));
  }
  return routes;
}

const entryOf = (tree: Tree, key: string): Tree | undefined => (tree.type === "map" ? tree.entries.find((entry) => entry.key === key)?.value : undefined);
const textOf = (tree: Tree | undefined): string | undefined => (tree?.type === "scalar" ? (tree.text ?? undefined) : undefined);

function readTemplate(
  entity: EntityNode,
  templates: Map<string, Template>,
  vocabulary: Vocabulary,
  input: FlowInput,
  report: (found: readonly Diagnostic[]) => void,
): void {
  const tree = entity.options["tree"] as Tree;
  const id = textOf(entryOf(tree, "id"));
  if (tree.type !== "map" || id === undefined || (entryOf(tree, "from") === undefined && entryOf(tree, "route") === undefined)) {
    report([fault("template-shape", "a routeTemplate needs 'id' and 'from' or 'route'", entity)]);
    return;
  }
  if (templates.has(id)) report([fault("template-twice", `two route templates are called '${id}'`, entity)]);
  const known = new Set(["id", "from", "route", "description", "note", "templateBean", "beans"]);
  const bound = bindOptions(tree, parameterFields, vocabulary, {
    flowId: input.id,
    source: input.source,
    property: () => undefined,
    label: `routeTemplate '${id}'`,
    ignore: [...known],
  });
  report(bound.diagnostics);
  templates.set(id, { tree, parameters: bound.values["parameters"] as Template["parameters"] });
}

function makeRoute(
  entity: EntityNode,
  templates: ReadonlyMap<string, Template>,
  routes: readonly RouteNode[],
  vocabulary: Vocabulary,
  input: FlowInput,
  report: (found: readonly Diagnostic[]) => void,
): RouteNode | undefined {
  const options = entity.options as Values<typeof templatedRouteFields>;
  const template = templates.get(options.routeTemplateRef);
  if (template === undefined) {
    report([fault("template-unknown", `no route template '${options.routeTemplateRef}'`, entity)]);
    return undefined;
  }
  const values = new Map(options.parameters.map(({ name, value }) => [name, value]));
  for (const { name, defaultValue, required } of template.parameters) {
    if (values.has(name)) continue;
    if (defaultValue !== undefined) values.set(name, defaultValue);
    else if (required !== false)
      report([fault("template-parameter", `templatedRoute of '${options.routeTemplateRef}' gives no value for parameter '${name}'`, entity)]);
  }
  const inner = entryOf(template.tree, "route");
  const tree = inner ?? { ...template.tree, entries: template.tree.entries.filter(({ key }) => key === "from") };
  const taken = new Set(routes.map(({ id }) => id));
  const wanted = options.routeId ?? textOf(inner === undefined ? undefined : entryOf(inner, "id")) ?? freeId(input.id, taken);
  if (taken.has(wanted)) report([fault("route-id-twice", `two routes are called '${wanted}'`, entity)]);
  const bound = bindRoute(tree, vocabulary, {
    flowId: input.id,
    source: input.source,
    routeId: wanted,
    property: (name) => values.get(name) ?? input.property(name),
  });
  report(bound.diagnostics);
  return bound.route;
}

function freeId(flowId: string, taken: ReadonlySet<string>): string {
  if (!taken.has(flowId)) return flowId;
  for (let number = 2; ; number++) if (!taken.has(`${flowId}-${number}`)) return `${flowId}-${number}`;
}

function fault(code: string, message: string, { span }: EntityNode): Diagnostic {
  return { code, severity: "error", message, path: "", span };
}
