// Turns text into a deployment that can start: read, bind, expand, compile. Pure: starts nothing, reports every error.
import {
  asFlowTree,
  bindFlow,
  claimsReservedPath,
  documentStart,
  valuesUnder,
  Placeholders,
  readTree,
  type Diagnostic,
  type EndpointNode,
  type FlowDocument,
  type RouteNode,
  type StepNode,
  type Tree,
  type Vocabulary,
} from "@sluice/model";
import { DiagnosticSink } from "../compile/diagnostics.ts";
import type { EndpointBinder } from "../compile/endpoint-binder.ts";
import { flowPlacements, type FlowPlacement } from "../compile/placement.ts";
import { BeanRegistry, classOf, FormatRegistry } from "../compile/flow-scope.ts";
import type { RouteScope } from "./route-scope.ts";
import { evaluatePrecondition, prepareRoute } from "./prepare-route.ts";
import { checkTemplates } from "./check-templates.ts";
import { RouteCalls, type RouteCall } from "../compile/route-calls.ts";
import { expandRoutes } from "../compile/expand-routes.ts";
import { TemplateLibrary } from "../compile/template-library.ts";
import { CompileError } from "../spi/compiler.ts";
import type { Catalog, UnloadedPart } from "../spi/declaration.ts";
import type { Host } from "../spi/host.ts";
import type { LiveRoute } from "./live-route.ts";
import type { FlowInput } from "../compile/flow-input.ts";
import type { RuntimeLimits } from "../compile/runtime-limits.ts";
import type { Deployment, RouteGate, RunListener } from "./runtime.ts";

/** A deployment with internal access to its routes. */
export interface LiveDeployment extends Deployment {
  readonly routes: readonly LiveRoute[];
  readonly scope: RouteScope;
}

export interface PrepareParts {
  readonly catalog: Catalog;
  readonly vocabulary: Vocabulary;
  readonly host: Host;
  readonly listener: RunListener;
  readonly gate: RouteGate | undefined;
  readonly limits: RuntimeLimits;
  readonly endpoints: EndpointBinder;
}

export interface PreparedFlow {
  readonly deployment: LiveDeployment | undefined;
  readonly tree: Tree | undefined;
  readonly flow: FlowDocument;
  readonly skippedRoutes: number;
  readonly diagnostics: readonly Diagnostic[];
  readonly secrets: ReadonlySet<string>;
  readonly unloaded: ReadonlySet<UnloadedPart>;
  readonly calls: readonly RouteCall[];
  readonly consumed: ReadonlySet<string>;
  readonly claims: ReadonlyMap<string, string>;
}

export function prepareFlow(input: FlowInput, parts: PrepareParts): PreparedFlow {
  try {
    return prepare(input, parts);
  } catch (error) {
    // A bug, not an error in the flow. Reject this flow only: a request, a start or a check of many files must continue.
    const reason = error instanceof Error ? error.message : String(error);
    if (parts.host.log.enabled("ERROR"))
      parts.host.log.write("ERROR", "flows", `Flow '${input.id}' cannot be checked: ${error instanceof Error ? error.stack : reason}`);
    return rejectedFlow(input, [{ ...bug, message: `this flow cannot be checked, which is a bug in the runtime: ${reason}` }]);
  }
}

const bug: Omit<Diagnostic, "message"> = {
  code: "check-failed",
  severity: "error",
  path: "",
  span: { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 },
  hint: "report this message together with the flow, and change the flow as a workaround",
};

function rejectedFlow(input: FlowInput, diagnostics: readonly Diagnostic[]): PreparedFlow {
  const flow: FlowDocument = { routes: [], entities: [], source: input.source };
  return {
    deployment: undefined,
    tree: undefined,
    flow,
    skippedRoutes: 0,
    diagnostics,
    secrets: new Set(),
    unloaded: new Set(),
    calls: [],
    consumed: new Set(),
    claims: new Map(),
  };
}

function prepare(original: FlowInput, parts: PrepareParts): PreparedFlow {
  const read = readTree(original.source);
  if (read.tree === undefined) return rejectedFlow(original, read.diagnostics);
  const document = asFlowTree(read.tree);
  const input = withProperties(original, document.properties);
  const bound = bindFlow(document.tree, parts.vocabulary, { flowId: input.id, source: input.source, property: input.property });
  const earlier = [...read.diagnostics, ...document.diagnostics, ...bound.diagnostics];
  const errors = earlier.filter(({ severity }) => severity === "error");
  const diagnostics = new DiagnosticSink(input.source, errors);
  const secrets = new Set<string>();
  const scope = scopeOf(input, bound.flow, parts, diagnostics, collectUntilEnd(secrets));
  checkBeans(bound.flow, scope, diagnostics);
  const beanErrors = diagnostics.found.length;
  const defined = expandRoutes(bound.flow, parts.catalog, scope.templates, diagnostics, input.id);
  const routes = defined.filter((route) => meetsPrecondition(route, scope, diagnostics));
  checkRouteIds(routes, diagnostics);
  const flow = { ...bound.flow, routes };
  const skippedRoutes = defined.length - routes.length;
  const liveRoutes = routes.flatMap((route) =>
    diagnostics.attempt({ span: route.span, routeId: route.id }, () => [prepareRoute(route, flow, scope, diagnostics)], []),
  );
  checkTemplates(scope, input.source, diagnostics);
  const placement = diagnostics.attempt({ span: documentStart }, () => placementOf(scope), "auto");
  const claims = checkClaims(liveRoutes, diagnostics, flow);
  const all = [...earlier, ...withOneErrorPerBean(diagnostics.found, beanErrors, bound.flow)];
  // A route that its precondition skips may be loaded elsewhere.
  for (const { from } of defined) scope.calls.consume(consumedBy(from));
  const { unloaded } = scope;
  const common = { tree: read.tree, flow, skippedRoutes, diagnostics: all, secrets, unloaded, calls: scope.calls.made, consumed: scope.calls.consumed, claims };
  if (all.some(({ severity }) => severity === "error")) return { ...common, deployment: undefined };
  scope.secrets.end();
  return {
    ...common,
    deployment: {
      id: input.id,
      hash: input.hash,
      flow,
      routes: liveRoutes,
      placement,
      scope,
      connections: scope.connections,
      kamelets: scope.templates.usedKamelets,
    },
  };
}

/** The address of a trigger; one without a path has its name as its only parameter or first option. */
const consumedBy = ({ uri, parameters }: EndpointNode): string =>
  uri.includes(":") || parameters["name"] === undefined ? uri : `${uri.trim()}:${parameters["name"]}`;

/** The placement is a parameter, not a key of the flow, so that the file still runs on Camel. It is `auto` when a tool checks a flow without its parameters. */
function placementOf({ propertiesUnder }: RouteScope): FlowPlacement {
  const text = propertiesUnder("sluice.")["placement"]?.trim() ?? "auto";
  const found = flowPlacements.find((placement) => placement === text);
  if (found === undefined)
    throw new CompileError("placement-invalid", `the parameter 'sluice.placement' is '${text.slice(0, 60)}'; allowed: ${flowPlacements.join(", ")}`);
  return found;
}

/** Adds the properties that the document itself defines, for names that have no value from the deployment. */
function withProperties(input: FlowInput, defined: ReadonlyMap<string, string>): FlowInput {
  if (defined.size === 0) return input;
  const property = (name: string): string | undefined => input.property(name) ?? defined.get(name);
  return {
    ...input,
    property,
    propertiesUnder: (prefix) => ({ ...valuesUnder(prefix, [...defined.keys()], property), ...input.propertiesUnder?.(prefix) }),
  };
}

/** Collects secrets only during preparation: endpoints resolved at run time could add values without bound. */
function collectUntilEnd(secrets: Set<string>): RouteScope["secrets"] & { end(): void } {
  let isOver = false;
  return { add: (value) => isOver || secrets.add(value), end: () => void (isOver = true) };
}

function scopeOf<S extends RouteScope["secrets"]>(
  input: FlowInput,
  flow: FlowDocument,
  parts: PrepareParts,
  diagnostics: DiagnosticSink,
  secrets: S,
): RouteScope & { readonly secrets: S; readonly unloaded: Set<UnloadedPart> } {
  const propertiesUnder = resolveProperties(input);
  const unloaded = new Set<UnloadedPart>();
  const connections = new Set<string>();
  const beans = new BeanRegistry({ flowId: input.id, catalog: parts.catalog, host: parts.host, propertiesUnder, unloaded, connections }, flow.entities);
  return {
    flowId: input.id,
    flowHash: input.hash,
    catalog: parts.catalog,
    host: parts.host,
    listener: parts.listener,
    gate: parts.gate,
    limits: parts.limits,
    endpoints: parts.endpoints,
    entities: flow.entities,
    beans,
    formats: new FormatRegistry(parts.catalog, flow.entities),
    templates: new TemplateLibrary(flow.entities, parts.vocabulary, input, {
      beans,
      kamelets: input.kamelets ?? parts.host.kamelets,
      report: (found) => void diagnostics.found.push(...found),
      secret: (value) => void secrets.add(value),
    }),
    secrets,
    authored: authoredTexts(flow),
    property: input.property,
    propertiesUnder,
    unloaded,
    connections,
    calls: new RouteCalls(),
  };
}

/** Properties with placeholders resolved; unresolvable ones are omitted. */
function resolveProperties({ property, propertiesUnder }: FlowInput): RouteScope["propertiesUnder"] {
  if (propertiesUnder === undefined) return () => ({});
  const placeholders = new Placeholders({ property });
  return (prefix) =>
    Object.fromEntries(
      Object.entries(propertiesUnder(prefix)).flatMap(([name, value]) => {
        const resolved = placeholders.resolve(value);
        return resolved.kind === "text" ? [[name, resolved.text] as const] : [];
      }),
    );
}

function checkBeans(flow: FlowDocument, scope: RouteScope, diagnostics: DiagnosticSink): void {
  for (const entity of flow.entities)
    if (entity.name === "beans" && entity.options["type"] !== undefined)
      diagnostics.attempt(entity, () => scope.beans.check(String(entity.options["type"])), undefined);
}

/**
 * A declared bean of an unknown class fails where it is declared and wherever it is used. Only a use shows which method is missing, so the error of the
 * declaration is omitted then, and so are further uses with the same fix. The first `declarationErrors` errors are those of declarations.
 */
function withOneErrorPerBean(found: readonly Diagnostic[], declarationErrors: number, { entities }: FlowDocument): readonly Diagnostic[] {
  const beans = entities
    .filter(({ name }) => name === "beans")
    .map(({ options }) => ({ name: String(options["name"]), type: classOf(String(options["type"])) }));
  const isUnknown = ({ code, message }: Diagnostic, name: string): boolean => code === "bean-unknown" && message.startsWith(`unknown bean '${name}`);
  const beanOf = (fault: Diagnostic) => beans.find(({ name, type }) => isUnknown(fault, `${type}'`) || isUnknown(fault, `${name}.`));
  const fixes = new Set<string>();
  const used = new Set<string>();
  const uses = found.slice(declarationErrors).filter((fault) => {
    const bean = beanOf(fault);
    if (bean === undefined) return true;
    used.add(bean.type);
    const key = `${bean.type} ${fault.hint ?? ""}`;
    return !fixes.has(key) && fixes.add(key) !== undefined;
  });
  const declarations = found.slice(0, declarationErrors).filter((fault) => !used.has(beanOf(fault)?.type ?? ""));
  return [...declarations, ...uses];
}

function meetsPrecondition(route: RouteNode, scope: RouteScope, diagnostics: DiagnosticSink): boolean {
  const { precondition } = route.options;
  return typeof precondition !== "string" || evaluatePrecondition(precondition, route.span, scope, diagnostics);
}

/** The id is part of the route's URL; an id that is a path must not shadow the management API. */
function checkRouteIds(routes: readonly RouteNode[], diagnostics: DiagnosticSink): void {
  for (const { id, span } of routes) {
    if (!/^(?:[/\\.]|%2f|%5c|%2e)/i.test(id) || !claimsReservedPath(id)) continue;
    const message = `route '${id.slice(0, 100)}' claims reserved path '${id.slice(0, 100)}': paths under /_api belong to the management API`;
    diagnostics.add(new CompileError("flow-reserved-path", message, { hint: "choose another id" }), { span, routeId: id });
  }
}

/** Two routes of one flow must not consume from the same address, such as one `direct:` name. Returns the id of the route of each claim. */
function checkClaims(routes: readonly LiveRoute[], diagnostics: DiagnosticSink, flow: FlowDocument): ReadonlyMap<string, string> {
  const holders = new Map<string, string>();
  for (const route of routes) {
    const { id } = route.identity;
    for (const claim of route.program.source.claims) {
      const holder = holders.get(claim);
      if (holder === undefined || holder === id) {
        holders.set(claim, id);
        continue;
      }
      const span = flow.routes.find((candidate) => candidate.id === id)?.from.span;
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
  return holders;
}

/** Strings with destinations written in the flow: `to` URIs and expressions, but not triggers. */
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
