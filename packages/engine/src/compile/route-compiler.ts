// The Compiler passed to steps: one per route, with views that differ in the wrappers around a step.
import { documentStart, kameletUse, schemeOf, type EndpointNode, type ExpressionNode, type KameletUse, type Span, type StepNode } from "@sluice/model";
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import {
  CompileError,
  isCompileError,
  type Compiler,
  type DynamicEndpointOptions,
  type Endpoints,
  type LanguageScope,
  type Lifecycle,
  type Outlet,
  type Registry,
  type Tasks,
} from "../spi/compiler.ts";
import type { Poller } from "../spi/connector.ts";
import type { ConnectorDeclaration, LanguageDeclaration } from "../spi/declaration.ts";
import type { Expression, Processor } from "../spi/processor.ts";
import { constantOf } from "../tools/constant-expression.ts";
import { isTrue } from "../values/truth.ts";
import { withPreparation } from "./preparation.ts";
import { dynamicEndpoints, hostCaution, recordUnloaded, type DynamicContext } from "./dynamic-endpoints.ts";
import { EndpointCache } from "./endpoint-cache.ts";
import { fromAuthor } from "./endpoint-binder.ts";
import { endpointScope } from "./endpoint-scope.ts";
import type { FlowScope } from "./flow-scope.ts";
import { createLazyEndpoint, openOutlet, openPoller } from "./outlets.ts";
import { compileResource } from "../tools/resource-text.ts";
import type { RouteParts } from "./route-parts.ts";
import { sequence } from "./sequence.ts";
import type { WiredStep, TappedOutlet } from "./wiring.ts";

/** Wrappers of each step: the error handler, then interceptors. */
export interface StepWrappers {
  readonly guard: ((step: WiredStep) => Processor) | undefined;
  readonly intercept: ((step: Processor) => Processor) | undefined;
}

const noop: Processor = () => undefined;

/** Stops a recursive template, which would be compiled forever. No document nests steps this deep. */
const maxTemplateDepth = 60;

export class RouteCompiler implements Compiler {
  readonly route: RouteIdentity;
  readonly host: FlowScope["host"];
  readonly endpoints: Endpoints;
  readonly registry: Registry;
  readonly tasks: Tasks;
  readonly #parts: RouteParts;
  readonly #wrappers: StepWrappers;
  readonly #languages: LanguageScope;
  readonly #depth: number;
  readonly #routeStep: RouteParts["routeSteps"][number] | undefined;
  readonly #preparations: Processor[] = [];
  /** True while the step is being compiled. Expressions compiled later, from message content, must not grow the list without bound. */
  #isCompiling: boolean;

  constructor(parts: RouteParts, wrappers: StepWrappers, depth = 0, routeStep?: RouteParts["routeSteps"][number]) {
    const { scope, route } = parts;
    // oxlint-disable-next-line no-this-alias -- `this` has another value in the getter.
    const compiler = this;
    this.#parts = parts;
    this.#wrappers = wrappers;
    this.#depth = depth;
    this.#routeStep = routeStep;
    this.#isCompiling = routeStep !== undefined;
    this.route = route;
    this.host = scope.host;
    this.registry = {
      format: (node) => scope.formats.create(node, scope.host.clock),
      bean: (reference, kind) => scope.beans.get(reference, kind),
      property: scope.property,
      template: (use, prefix) => this.#template(use, prefix),
    };
    this.tasks = {
      state: <T extends Lifecycle>(_name: string, create: () => T): T => {
        const state = create();
        parts.lifecycles.push(state);
        return state;
      },
      restore: (message) => parts.restore(message),
      detach: (copy, processor) => parts.detach(copy, processor),
    };
    this.#languages = {
      host: scope.host,
      route,
      property: scope.property,
      language: (name) => this.#find(name),
      bean: (reference, kind) => scope.beans.get(reference, kind),
      get beforeStep() {
        return compiler.#isCompiling ? (work: Processor) => void compiler.#preparations.push(work) : undefined;
      },
    };
    this.endpoints = { to: (node) => this.#outlet(node), dynamic: (options) => this.#dynamic(options), poll: (options) => this.#poll(options) };
  }

  steps(nodes: readonly StepNode[], scope?: { readonly errors: "off" }): Processor {
    const wrappers = scope?.errors === "off" ? { ...this.#wrappers, guard: undefined } : this.#wrappers;
    return sequence(
      nodes.map((node) => this.#wireStep(node, wrappers)),
      this.host.clock,
    );
  }

  /** Compiles a route's own steps, such that a run can start at any of them. */
  entryPoints(nodes: readonly StepNode[]): { readonly steps: readonly WiredStep[]; from(index: number): Processor } {
    const steps = nodes.map((node) => this.#wireStep(node, this.#wrappers));
    return { steps, from: (index) => sequence(steps.slice(index), this.host.clock) };
  }

  expression(node: ExpressionNode): Expression {
    return this.#attempt(
      node,
      () => {
        const language = this.#language(node);
        const expression = compileResource(node.text, this.host, (text, isLoaded) =>
          // The text of a file is used with its line breaks, as in Camel.
          language.compile(text, isLoaded ? { ...node.options, trim: "false" } : node.options, this.#languages),
        );
        return limitLength(expression, this.#parts.scope.limits.messageSize);
      },
      () => undefined,
    );
  }

  predicate(node: ExpressionNode): Expression<boolean> {
    return this.#attempt(
      node,
      () => {
        const language = this.#language(node);
        return compileResource(node.text, this.host, (text) => {
          if (language.compilePredicate !== undefined) return language.compilePredicate(text, node.options, this.#languages);
          const expression = language.compile(text, node.options, this.#languages);
          return (exchange) => isTrue(expression(exchange));
        });
      },
      () => false,
    );
  }

  #wireStep(node: StepNode, wrappers: StepWrappers): WiredStep {
    const { diagnostics, wiring, routeSteps, scope } = this.#parts;
    const routeStep = { node, depth: this.#depth, uri: undefined as string | undefined, isLocal: false, costly: false };
    routeSteps.push(routeStep);
    const inner = new RouteCompiler(this.#parts, wrappers, this.#depth + 1, routeStep);
    const step = diagnostics.attempt(
      { span: node.span, routeId: this.route.id, stepId: node.id },
      () => {
        const declaration = scope.catalog.steps.get(node.name);
        if (declaration === undefined) throw new CompileError("step-unknown", `unknown step '${node.name}'`);
        if (declaration.oncePerRoute === true && routeSteps.some((other) => other !== routeStep && other.node.name === node.name))
          throw new CompileError("step-twice", `route '${this.route.id}' has two '${node.name}' steps; only one is allowed`, {
            hint: "move the second one to a separate route",
          });
        const { stateScope } = declaration;
        if (stateScope !== undefined)
          this.#parts.placement.addTie({
            kind: "step",
            reason: `step '${node.id}' is stateful`,
            stateScope: typeof stateScope === "function" ? stateScope(node.options as never) : stateScope,
          });
        return declaration.compile(node.options as never, inner, node);
      },
      noop,
    );
    inner.#isCompiling = false;
    const bare = withPreparation(inner.#preparations, step);
    const { guard, intercept } = wrappers;
    if (intercept === undefined) return wiring.step(node, bare, routeStep.costly, guard);
    return wiring.step(node, bare, routeStep.costly, (wired) => intercept(guard === undefined ? (exchange) => wired.inner(exchange) : guard(wired)));
  }

  /** Finds a language by name; steps that use an expensive one are paced. */
  #find(name: string): LanguageDeclaration | undefined {
    const language = this.#parts.scope.catalog.languages.get(name);
    if (language?.costly === true && this.#routeStep !== undefined) this.#routeStep.costly = true;
    return language;
  }

  #language(node: ExpressionNode) {
    const language = this.#find(node.language);
    if (language === undefined) throw new CompileError("language-unknown", `unknown language '${node.language}'`);
    return language;
  }

  #attempt<T>({ span, text }: { readonly span: Span; readonly text: string | undefined }, compile: () => T, fallback: T): T {
    try {
      return compile();
    } catch (error) {
      if (!isCompileError(error)) throw error;
      this.#parts.diagnostics.add(error, {
        span,
        ...(text === undefined ? {} : { text }),
        routeId: this.route.id,
        ...(this.#routeStep === undefined ? {} : { stepId: this.#routeStep.node.id }),
      });
      return fallback;
    }
  }

  #outlet(node: EndpointNode): Outlet {
    const fallback: Outlet = { uri: node.uri, send: noop };
    return this.#attempt(
      { span: node.span, text: undefined },
      () => {
        const use = kameletUse(node.uri, node.parameters);
        return use === undefined ? this.#open(node) : this.#kamelet(use);
      },
      fallback,
    );
  }

  /** A Kamelet used as an endpoint: its steps run as the send. */
  #kamelet(use: KameletUse): Outlet {
    const { name, fault } = use;
    if (fault !== undefined) throw new CompileError("endpoint-uri-invalid", `the query of Kamelet '${name}' is not valid: ${fault}`);
    return { uri: `kamelet:${name}`, send: this.steps(this.#template(use, `${this.#routeStep?.node.id ?? this.route.id}-${name}-`)) };
  }

  #template(use: KameletUse, prefix: string): readonly StepNode[] {
    if (this.#depth > maxTemplateDepth) throw new CompileError("kamelet-circular", `Kamelet '${use.name}' uses itself`);
    return this.#parts.scope.templates.steps(use, prefix, this.#routeStep?.node.span ?? documentStart);
  }

  #open(node: EndpointNode): TappedOutlet {
    const { scope, route, lifecycles, placement } = this.#parts;
    const context = endpointScope(route, scope, schemeOf(node.uri), fromAuthor);
    const { sink, uri, declaration } = scope.endpoints.sink(node, fromAuthor, context);
    placement.addDestination(uri, declaration.workers);
    this.#recordCall(uri, declaration, node.span);
    if (this.#routeStep !== undefined && this.#routeStep.uri === undefined) {
      this.#routeStep.uri = uri;
      this.#routeStep.isLocal = declaration.local === true;
    }
    // Stopped in reverse order: first the sink, then its connections.
    if (context.hasConnections) lifecycles.push({ stop: () => context.release() });
    lifecycles.push(sink);
    return openOutlet(sink, uri, this.#parts).outlet;
  }

  /** An intercepted call may be skipped. */
  #recordCall(uri: string, declaration: ConnectorDeclaration, span: Span): void {
    const { scope, sendInterceptors } = this.#parts;
    if (sendInterceptors.some((interceptor) => interceptor.matches(uri))) return;
    scope.calls.call(uri, declaration, { span, routeId: this.route.id, stepId: this.#routeStep?.node.id });
  }

  #dynamic(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Outlet {
    this.#checkWritten(options, "sink", (uri, declaration) => this.#recordCall(uri, declaration, options.span));
    return this.#finder(options, (node, origin) => {
      const context = endpointScope(this.route, this.#parts.scope, schemeOf(node.uri), origin);
      const { sink, uri } = this.#parts.scope.endpoints.sink(node, origin, context);
      const lazyEndpoint = createLazyEndpoint(sink, uri, context, this.#parts);
      const { outlet, forget } = openOutlet(sink, uri, this.#parts, lazyEndpoint);
      return { value: outlet, lazyEndpoint, forget };
    });
  }

  #poll(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Poller {
    this.#checkWritten(options, "poller", (uri) => this.#parts.scope.calls.consume(uri));
    return this.#finder(options, (node, origin) => {
      const context = endpointScope(this.route, this.#parts.scope, schemeOf(node.uri), origin);
      const { poller: bare, uri } = this.#parts.scope.endpoints.poller(node, origin, context);
      const lazyEndpoint = createLazyEndpoint(bare, uri, context, this.#parts);
      const { poller, forget } = openPoller(bare, uri, this.#parts, lazyEndpoint);
      return { value: poller, lazyEndpoint, forget };
    });
  }

  /** Addresses without expressions are opened at run time, but whether they are valid is known now. */
  #checkWritten(
    { written = [], span }: DynamicEndpointOptions,
    role: "sink" | "poller",
    record: (uri: string, declaration: ConnectorDeclaration) => void,
  ): void {
    const { scope } = this.#parts;
    for (const uri of written) {
      const check = (): void => {
        const context = endpointScope(this.route, scope, schemeOf(uri), fromAuthor);
        const found = scope.endpoints.check({ uri, parameters: {}, span }, role, context);
        record(found.uri, found.declaration);
      };
      this.#attempt({ span, text: undefined }, check, undefined);
    }
  }

  #finder<T>(options: DynamicEndpointOptions, open: DynamicContext<T>["open"]): (uri: string, exchange: Exchange) => T {
    const { placement, scope, lifecycles, diagnostics } = this.#parts;
    recordUnloaded(options, scope);
    const caution = hostCaution(options, scope.catalog);
    if (caution !== undefined)
      diagnostics.warn(caution, {
        span: options.span,
        routeId: this.route.id,
        ...(this.#routeStep === undefined ? {} : { stepId: this.#routeStep.node.id }),
      });
    placement.addDynamicDestinations(options, scope.catalog);
    const cache = new EndpointCache<T>(scope.host.clock);
    lifecycles.push(cache);
    return dynamicEndpoints(options, { authored: scope.authored, cache, open });
  }
}

/** Fails an expression whose result is text longer than the limit, so that a message that doubles in a loop does not exhaust the memory. */
function limitLength(expression: Expression, maxLength: number): Expression {
  const constant = constantOf(expression);
  if (constant !== undefined && !(typeof constant.value === "string" && constant.value.length > maxLength)) return expression;
  return (exchange) => {
    const value = expression(exchange);
    if (typeof value === "string" && value.length > maxLength)
      throw new FlowError(
        "java.lang.IllegalStateException",
        `size limit: an expression produced ${value.length} characters; at most ${maxLength} are allowed`,
        {
          code: "limit-size",
        },
      );
    return value;
  };
}
