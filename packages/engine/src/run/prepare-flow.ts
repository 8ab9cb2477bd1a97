// Text to a deployment that could start: read, bind, expand, compile. Pure: nothing starts, everything wrong is reported.
import { bindFlow, readTree, type Diagnostic, type FlowDocument, type RouteNode, type StepNode, type Vocabulary } from "@sluice/model";
import { DiagnosticSink } from "../compile/diagnostics.ts";
import type { EndpointBinder } from "../compile/endpoint-binder.ts";
import { BeanRegistry, FormatRegistry, type FlowScope } from "../compile/flow-scope.ts";
import { evaluatePrecondition, prepareRoute } from "../compile/prepare-route.ts";
import { expandRoutes } from "../compile/expand-routes.ts";
import { TemplateLibrary } from "../compile/template-library.ts";
import type { Catalog } from "../spi/declaration.ts";
import type { Host } from "../spi/host.ts";
import type { LiveRoute } from "./live-route.ts";
import type { Deployment, FlowInput, RunListener, RuntimeLimits } from "./runtime.ts";

/** A deployment with the routes' inner side. */
export interface LiveDeployment extends Deployment {
  readonly routes: readonly LiveRoute[];
  readonly scope: FlowScope;
}

export interface PrepareParts {
  readonly catalog: Catalog;
  readonly vocabulary: Vocabulary;
  readonly host: Host;
  readonly listener: RunListener;
  readonly limits: RuntimeLimits;
  readonly endpoints: EndpointBinder;
}

export interface PreparedFlow {
  readonly deployment: LiveDeployment | undefined;
  readonly flow: FlowDocument;
  readonly leftOut: number;
  readonly diagnostics: readonly Diagnostic[];
}

export function prepareFlow(input: FlowInput, parts: PrepareParts): PreparedFlow {
  const read = readTree(input.source);
  const empty: FlowDocument = { routes: [], entities: [], source: input.source };
  if (read.tree === undefined) return { deployment: undefined, flow: empty, leftOut: 0, diagnostics: read.diagnostics };
  const bound = bindFlow(read.tree, parts.vocabulary, { flowId: input.id, source: input.source, property: input.property });
  const before = [...read.diagnostics, ...bound.diagnostics];
  const diagnostics = new DiagnosticSink(input.source);
  const scope = scopeOf(input, bound.flow, parts, diagnostics);
  checkBeans(bound.flow, scope, diagnostics);
  const defined = expandRoutes(bound.flow, parts.catalog, scope.templates, diagnostics, input.id);
  const routes = defined.filter((route) => meetsPrecondition(route, scope, diagnostics));
  const flow = { ...bound.flow, routes };
  const leftOut = defined.length - routes.length;
  const live = before.some(({ severity }) => severity === "error") ? [] : routes.map((route) => prepareRoute(route, flow, scope, diagnostics));
  checkClaims(live, diagnostics, flow);
  const all = [...before, ...diagnostics.found];
  if (all.some(({ severity }) => severity === "error")) return { deployment: undefined, flow, leftOut, diagnostics: all };
  return { deployment: { id: input.id, hash: input.hash, flow, routes: live, scope }, flow, leftOut, diagnostics: all };
}

function scopeOf(input: FlowInput, flow: FlowDocument, parts: PrepareParts, diagnostics: DiagnosticSink): FlowScope {
  return {
    flowId: input.id,
    flowHash: input.hash,
    catalog: parts.catalog,
    host: parts.host,
    listener: parts.listener,
    limits: parts.limits,
    endpoints: parts.endpoints,
    beans: new BeanRegistry(parts.catalog, parts.host, flow.entities),
    formats: new FormatRegistry(parts.catalog, flow.entities),
    templates: new TemplateLibrary(flow.entities, parts.vocabulary, input, (found) => void diagnostics.found.push(...found)),
    authored: authoredTexts(flow),
    property: input.property,
  };
}

function checkBeans(flow: FlowDocument, scope: FlowScope, diagnostics: DiagnosticSink): void {
  for (const entity of flow.entities)
    if (entity.name === "beans" && entity.options["type"] !== undefined)
      diagnostics.attempt(entity, () => scope.beans.check(String(entity.options["type"])), undefined);
}

function meetsPrecondition(route: RouteNode, scope: FlowScope, diagnostics: DiagnosticSink): boolean {
  const { precondition } = route.options;
  return typeof precondition !== "string" || evaluatePrecondition(precondition, route.span, scope, diagnostics);
}

/** Two routes of one flow must not hold the same thing, such as one `direct:` name. */
function checkClaims(routes: readonly LiveRoute[], diagnostics: DiagnosticSink, flow: FlowDocument): void {
  const held = new Map<string, string>();
  for (const live of routes) {
    const { id } = live.identity;
    for (const claim of live.program.source.claims) {
      const holder = held.get(claim);
      if (holder === undefined || holder === id) {
        held.set(claim, id);
        continue;
      }
      const span = flow.routes.find((route) => route.id === id)?.from.span;
      if (span !== undefined)
        diagnostics.found.push({
          code: "claim-twice",
          severity: "error",
          message: `'${claim}' is consumed by two routes: '${holder}' and '${id}'`,
          path: "",
          span,
          routeId: id,
          hint: "give one of them another address, or add multipleConsumers=true to both where the connector has that option",
        });
    }
  }
}

/** Texts in which an author writes destinations: `to` URIs and expressions, but no triggers. */
function authoredTexts(flow: FlowDocument): readonly string[] {
  const texts: string[] = [];
  const walk = (value: unknown, depth: number): void => {
    if (depth > 60) return;
    if (typeof value === "string") texts.push(value);
    else if (Array.isArray(value)) for (const item of value) walk(item, depth + 1);
    else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) walk(item, depth + 1);
  };
  const walkSteps = (steps: readonly StepNode[]): void => steps.forEach((step) => walk(step.options, 0));
  for (const route of flow.routes) walkSteps(route.steps);
  for (const entity of flow.entities) if (entity.options["tree"] === undefined) walk(entity.options, 0);
  return texts;
}
