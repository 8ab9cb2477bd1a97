// The Compiler handed to steps: one per route, in views that differ only in what stands around a step.
import type { EndpointNode, ExpressionNode, Span, StepNode } from "@sluice/model";
import { FlowError } from "../errors/flow-error.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { RouteIdentity } from "../exchange/run.ts";
import {
  CompileError,
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
import type { LanguageDeclaration } from "../spi/declaration.ts";
import { constantOf, type Expression, type Processor } from "../spi/processor.ts";
import { isTrue } from "../values/truth.ts";
import { behind } from "./ahead.ts";
import { dynamicEndpoints } from "./dynamic-endpoints.ts";
import type { FlowScope } from "./flow-scope.ts";
import { normalForm, openOutlet } from "./outlets.ts";
import type { RouteParts } from "./route-parts.ts";
import { sequence } from "./sequence.ts";
import type { Slot, TappedOutlet } from "./wiring.ts";

/** What stands around each step: the error handler, then interceptors. */
export interface Surroundings {
  readonly guard: ((slot: Slot) => Processor) | undefined;
  readonly intercept: ((step: Processor) => Processor) | undefined;
}

const nothing: Processor = () => undefined;

export class RouteCompiler implements Compiler {
  readonly route: RouteIdentity;
  readonly host: FlowScope["host"];
  readonly endpoints: Endpoints;
  readonly registry: Registry;
  readonly tasks: Tasks;
  readonly #parts: RouteParts;
  readonly #around: Surroundings;
  readonly #languages: LanguageScope;
  readonly #depth: number;
  readonly #place: RouteParts["places"][number] | undefined;
  readonly #ahead: Processor[] = [];

  constructor(parts: RouteParts, around: Surroundings, depth = 0, place?: RouteParts["places"][number]) {
    const { scope, route } = parts;
    this.#parts = parts;
    this.#around = around;
    this.#depth = depth;
    this.#place = place;
    this.route = route;
    this.host = scope.host;
    this.registry = {
      format: (node) => scope.formats.create(node),
      bean: (reference, kind) => scope.beans.get(reference, kind),
      property: scope.property,
      template: (name, parameters, prefix) => scope.templates.steps(name, parameters, prefix),
    };
    this.tasks = {
      state: <T extends Lifecycle>(_name: string, create: () => T): T => {
        const state = create();
        parts.lifecycles.push(state);
        return state;
      },
      detach: (copy, processor) => parts.detach(copy, processor),
    };
    this.#languages = {
      host: scope.host,
      route,
      property: scope.property,
      language: (name) => this.#find(name),
      bean: (reference, kind) => scope.beans.get(reference, kind),
      ...(place === undefined ? {} : { ahead: (work: Processor) => void this.#ahead.push(work) }),
    };
    this.endpoints = { to: (node) => this.#outlet(node), dynamic: (options) => this.#dynamic(options), poll: (options) => this.#poll(options) };
  }

  steps(nodes: readonly StepNode[], scope?: { readonly errors: "off" }): Processor {
    const around = scope?.errors === "off" ? { ...this.#around, guard: undefined } : this.#around;
    return sequence(
      nodes.map((node) => this.#slot(node, around)),
      this.host.clock,
    );
  }

  /** A route's own steps, which it may also be entered at. */
  entrances(nodes: readonly StepNode[]): { readonly slots: readonly Slot[]; from(index: number): Processor } {
    const slots = nodes.map((node) => this.#slot(node, this.#around));
    return { slots, from: (index) => sequence(slots.slice(index), this.host.clock) };
  }

  expression(node: ExpressionNode): Expression {
    return this.#located(
      node,
      () => bounded(this.#language(node).compile(node.text, node.options, this.#languages), this.#parts.scope.limits.messageSize),
      () => undefined,
    );
  }

  predicate(node: ExpressionNode): Expression<boolean> {
    return this.#located(
      node,
      () => {
        const language = this.#language(node);
        if (language.compilePredicate !== undefined) return language.compilePredicate(node.text, node.options, this.#languages);
        const expression = language.compile(node.text, node.options, this.#languages);
        return (exchange) => isTrue(expression(exchange));
      },
      () => false,
    );
  }

  #slot(node: StepNode, around: Surroundings): Slot {
    const { diagnostics, wiring, places, scope } = this.#parts;
    const place = { node, depth: this.#depth, uri: undefined as string | undefined, costly: false };
    places.push(place);
    const inner = new RouteCompiler(this.#parts, around, this.#depth + 1, place);
    const step = diagnostics.attempt(
      { span: node.span, routeId: this.route.id, stepId: node.id },
      () => {
        const declaration = scope.catalog.steps.get(node.name);
        if (declaration === undefined) throw new CompileError("step-unknown", `unknown step '${node.name}'`);
        if (declaration.oncePerRoute === true && places.some((other) => other !== place && other.node.name === node.name))
          throw new CompileError("step-twice", `route '${this.route.id}' has two '${node.name}' steps; one is allowed`, {
            hint: "put the second into a route of its own",
          });
        if (declaration.keepsState === true) this.#parts.placing.tie(`step '${node.id}' keeps state`);
        return declaration.compile(node.options as never, inner, node);
      },
      nothing,
    );
    const bare = behind(inner.#ahead, step);
    const { guard, intercept } = around;
    if (intercept === undefined) return wiring.slot(node, bare, place.costly, guard);
    return wiring.slot(node, bare, place.costly, (slot) => intercept(guard === undefined ? (exchange) => slot.inner(exchange) : guard(slot)));
  }

  /** A language by name; the step that uses a costly one is paced. */
  #find(name: string): LanguageDeclaration | undefined {
    const language = this.#parts.scope.catalog.languages.get(name);
    if (language?.costly === true && this.#place !== undefined) this.#place.costly = true;
    return language;
  }

  #language(node: ExpressionNode) {
    const language = this.#find(node.language);
    if (language === undefined) throw new CompileError("language-unknown", `unknown language '${node.language}'`);
    return language;
  }

  #located<T>({ span, text }: { readonly span: Span; readonly text: string | undefined }, make: () => T, otherwise: T): T {
    try {
      return make();
    } catch (thrown) {
      if (!(thrown instanceof CompileError)) throw thrown;
      this.#parts.diagnostics.add(thrown, {
        span,
        ...(text === undefined ? {} : { text }),
        routeId: this.route.id,
        ...(this.#place === undefined ? {} : { stepId: this.#place.node.id }),
      });
      return otherwise;
    }
  }

  #outlet(node: EndpointNode): Outlet {
    const fallback: Outlet = { uri: node.uri, send: nothing };
    return this.#located(
      { span: node.span, text: undefined },
      () => {
        const outlet = this.#open(node, true);
        if (this.#place !== undefined) this.#place.uri ??= outlet.uri;
        return outlet;
      },
      fallback,
    );
  }

  #open(node: EndpointNode, trusted: boolean): TappedOutlet {
    const { sink, uri, workers } = this.#parts.scope.endpoints.sink(node, trusted);
    this.#parts.placing.sendsTo(uri, workers);
    return openOutlet(sink, uri, this.#parts);
  }

  #dynamic(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Outlet {
    this.#parts.placing.finds(options, this.#parts.scope.catalog);
    return dynamicEndpoints<Outlet>(options, {
      authored: this.#parts.scope.authored,
      open: <T>(node: EndpointNode, trusted: boolean) => {
        const { sink, uri } = this.#parts.scope.endpoints.sink(node, trusted);
        return openOutlet(sink, uri, this.#parts, { lazily: true }) as T;
      },
      close: (outlet) => this.#parts.wiring.release(outlet as TappedOutlet),
    });
  }

  #poll(options: DynamicEndpointOptions): (uri: string, exchange: Exchange) => Poller {
    this.#parts.placing.finds(options, this.#parts.scope.catalog);
    return dynamicEndpoints<Poller>(options, {
      authored: this.#parts.scope.authored,
      open: <T>(node: EndpointNode, trusted: boolean) => {
        const { poller, uri } = this.#parts.scope.endpoints.poller(node, trusted);
        const noted: Poller = {
          ...poller,
          receive: (timeoutMs, exchange) => {
            exchange.setProperty("CamelToEndpoint", normalForm(uri));
            return poller.receive(timeoutMs, exchange);
          },
        };
        return noted as T;
      },
      close: (poller) => void (poller as Poller).stop?.(),
    });
  }
}

/** The expression, failing where it makes a text longer than a message may be: a message that doubles in a loop ends here. */
function bounded(expression: Expression, most: number): Expression {
  const constant = constantOf(expression);
  if (constant !== undefined && !(typeof constant.value === "string" && constant.value.length > most)) return expression;
  return (exchange) => {
    const value = expression(exchange);
    if (typeof value === "string" && value.length > most)
      throw new FlowError(
        "java.lang.IllegalStateException",
        `size limit: an expression made a text of ${value.length} characters, more than the ${most} allowed`,
        {
          code: "limit-size",
        },
      );
    return value;
  };
}
