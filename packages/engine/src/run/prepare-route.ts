// Compiles one route of a document. Starts nothing.
import { isTemplateEndpoint, schemeOf, type FlowDocument, type RouteNode, type Span } from "@sluice/model";
import { Exchange } from "../exchange/exchange.ts";
import { Message } from "../exchange/message.ts";
import { Run, type RouteIdentity } from "../exchange/run.ts";
import { LiveRoute } from "./live-route.ts";
import { CompileError } from "../spi/compiler.ts";
import type { Source } from "../spi/connector.ts";
import type { Processor } from "../spi/processor.ts";
import { completions, noCompletions } from "../compile/completions.ts";
import type { DiagnosticSink } from "../compile/diagnostics.ts";
import { fromAuthor } from "../compile/endpoint-binder.ts";
import { endpointScope } from "../compile/endpoint-scope.ts";
import { errorHandler, guardsSteps, needsOriginal, type ErrorHandlerPlan } from "../compile/error-handler.ts";
import { errorPlan } from "../compile/error-plan.ts";
import { entitiesOf } from "../compile/flow-entities.ts";
import type { RouteScope } from "./route-scope.ts";
import { chain, entryInterceptor, sendInterceptors, stepInterceptor } from "../compile/interceptors.ts";
import { longForm } from "../compile/uri-pattern.ts";
import { PlacementBuilder } from "../compile/placement-builder.ts";
import { noRedelivery } from "../compile/redelivery-policy.ts";
import { RouteCompiler } from "../compile/route-compiler.ts";
import type { RouteParts } from "../compile/route-parts.ts";
import { Wiring } from "../compile/wiring.ts";

const plainPlan: ErrorHandlerPlan = { kind: "default", policy: noRedelivery, clauses: [], deadLetter: undefined, deadLetterOriginal: undefined };
const silentSource: Source = { claims: [], exclusive: false, start: () => undefined, stop: () => undefined };

export function prepareRoute(node: RouteNode, flow: FlowDocument, scope: RouteScope, diagnostics: DiagnosticSink): LiveRoute {
  const identity = identityOf(node, scope);
  const location = { span: node.span, routeId: identity.id };
  const wiring = new Wiring(identity);
  const liveRoute = new LiveRoute(identity, wiring, scope);
  const parts: RouteParts = {
    route: identity,
    scope,
    wiring,
    diagnostics,
    lifecycles: [],
    routeSteps: [],
    placement: new PlacementBuilder(),
    sendInterceptors: [],
    restore: (message) => liveRoute.restore(message),
    detach: (copy, processor) => liveRoute.detach(copy, processor),
  };
  const entities = entitiesOf(flow, node, (precondition, span) => evaluatePrecondition(precondition, span, scope, diagnostics));
  const bare = new RouteCompiler(parts, { guard: undefined, intercept: undefined });
  const plan = diagnostics.attempt({ ...location, span: entities.errors.span }, () => errorPlan(entities.errors, bare, diagnostics), plainPlan);
  const guard = guardsSteps(plan) ? errorHandler(plan, scope.host, scope.listener, () => liveRoute.isStopping) : undefined;
  const guarded = new RouteCompiler(parts, { guard, intercept: undefined });
  const context = endpointScope(identity, scope, schemeOf(node.from.uri), fromAuthor);
  const silent = { source: silentSource, uri: node.from.uri, trigger: undefined };
  // A template that begins with `kamelet:source` is checked on its own, without a caller.
  const { source, uri, trigger } = isTemplateEndpoint(node.from.uri)
    ? silent
    : diagnostics.attempt({ ...location, span: node.from.span }, () => scope.endpoints.source(node.from, context), silent);
  if (context.hasConnections) parts.lifecycles.push({ stop: () => context.release() });
  const intercepted = { id: identity.id, uri: longForm(uri) };
  const sends = sendInterceptors(entities.sends, intercepted, guarded);
  const intercept = stepInterceptor(entities.intercepts, intercepted, guarded);
  parts.sendInterceptors = sends;
  const entry = entryInterceptor(entities.entries, intercepted, guarded);
  const routeCompletions = diagnostics.attempt({ ...location, span: node.span }, () => completions(entities.completions, guarded), noCompletions);
  const entryPoints = new RouteCompiler(parts, { guard, intercept }).entryPoints(node.steps);
  const steps = entryPoints.from(0);
  liveRoute.install({
    from: uri,
    source,
    trigger,
    process: receiveIntoVariable(node, entry === undefined ? steps : chain(entry, steps)),
    processFrom(stepId) {
      const at = entryPoints.steps.findIndex((step) => step.node.id === stepId);
      return at < 0 ? undefined : entryPoints.from(at);
    },
    plan,
    keepOriginal: needsOriginal(plan) || routeCompletions.needOriginal,
    beforeReply: routeCompletions.before,
    afterReply: routeCompletions.after,
    lifecycles: parts.lifecycles,
    steps: parts.routeSteps,
    placement: parts.placement.build(source),
    autoStartup: node.options["autoStartup"] !== false && node.options["autoStartup"] !== "false",
    startupOrder: typeof node.options["startupOrder"] === "number" ? node.options["startupOrder"] : Infinity,
  });
  return liveRoute;
}

function identityOf(node: RouteNode, scope: RouteScope): RouteIdentity {
  const { group, description } = node.options as { group?: string; description?: string };
  return {
    id: node.id,
    flowId: scope.flowId,
    flowHash: scope.flowHash,
    ...(group === undefined ? {} : { group }),
    ...(description === undefined ? {} : { description }),
  };
}

/** `from: {variableReceive: v}`: moves the body into the variable and copies the headers next to it. */
function receiveIntoVariable(node: RouteNode, steps: Processor): Processor {
  const name = node.fromOptions["variableReceive"];
  if (typeof name !== "string") return steps;
  return (exchange) => {
    exchange.setVariable(name, exchange.message.body);
    for (const [header, value] of exchange.message.headers) exchange.setVariable(`header:${name}.${header}`, value);
    exchange.message.body = null;
    return steps(exchange);
  };
}

/** A precondition depends only on placeholders, so it is evaluated once, on an empty message. */
export function evaluatePrecondition(text: string, span: Span, scope: RouteScope, diagnostics: DiagnosticSink): boolean {
  const identity: RouteIdentity = { id: "", flowId: scope.flowId, flowHash: scope.flowHash };
  return diagnostics.attempt(
    { span },
    () => {
      const language = scope.catalog.languages.get(scope.catalog.defaultLanguage);
      if (language?.compilePredicate === undefined)
        throw new CompileError(
          "language-unknown",
          `preconditions need the language '${scope.catalog.defaultLanguage}', which is not installed or has no predicates`,
        );
      const predicate = language.compilePredicate(
        text,
        {},
        {
          host: scope.host,
          route: identity,
          property: scope.property,
          language: (name) => scope.catalog.languages.get(name),
          bean: (reference, kind) => scope.beans.get(reference, kind),
        },
      );
      return predicate(new Exchange("precondition", new Run("precondition", identity, 0, { uri: "" }), "InOnly", new Message(null)));
    },
    false,
  );
}
