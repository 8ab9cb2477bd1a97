// Helpers for connector tests: exchanges, a recording route input, and endpoints bound as in a runtime.
import { CompileError, Exchange, FlowError, isFlowError, Headers, Message, Run, toFlowError } from "@sluice/engine/spi";
import type {
  Awaitable,
  ConnectorDeclaration,
  Delivery,
  Endpoint,
  EndpointScope,
  Host,
  LanguageDeclaration,
  Processor,
  RouteIdentity,
  SharedState,
  SourceInput,
  Trigger,
} from "@sluice/engine/spi";
import { bindEndpoint } from "@sluice/model";
import { languages } from "@sluice/standard";

/** An identity for a route that only exists in a test. */
export function routeIdentity(id = "route1", flowId = "flow1"): RouteIdentity {
  return { id, flowId, flowHash: "0".repeat(64) };
}

let exchanges = 0;

/** An exchange in flight in a separate route. */
export function exchangeOf(body: unknown = null, headers: Readonly<Record<string, unknown>> = {}, delivery: Delivery = {}): Exchange {
  const run = new Run(`run-${++exchanges}`, routeIdentity("sender"), 0, delivery.trigger ?? { uri: "test:sender" }, undefined, delivery.session);
  run.correlationId = delivery.correlationId;
  run.trace = delivery.trace;
  const exchange = new Exchange(`exchange-${exchanges}`, run, delivery.pattern ?? "InOnly", new Message(body, Headers.of(headers)));
  if (delivery.properties !== undefined) exchange.properties = new Map(delivery.properties);
  if (delivery.variables !== undefined) exchange.variables = new Map(delivery.variables);
  return exchange;
}

/** A route input that runs `work` on each message and records every exchange, in order of arrival. */
export class FakeRouteInput implements SourceInput {
  readonly route: RouteIdentity;
  readonly exchanges: Exchange[] = [];
  readonly triggers: Trigger[] = [];
  readonly deliveries: (Delivery | undefined)[] = [];
  /** The reports of the source, in order: problems, and undefined for recovery. */
  readonly problems: (string | undefined)[] = [];
  readonly #work: Processor;

  constructor(work: Processor = () => undefined, route: RouteIdentity = routeIdentity()) {
    this.#work = work;
    this.route = route;
  }

  get bodies(): readonly unknown[] {
    return this.exchanges.map((exchange) => exchange.message.body);
  }

  deliver(message: Message, delivery: Delivery = {}): Awaitable<Exchange> {
    const exchange = exchangeOf(null, {}, delivery);
    exchange.message = message;
    this.exchanges.push(exchange);
    this.deliveries.push(delivery);
    delivery.started?.(exchange);
    const failed = (error: unknown): Exchange => {
      exchange.failure = toFlowError(error);
      return exchange;
    };
    try {
      const result = this.#work(exchange);
      return result instanceof Promise ? result.then(() => exchange, failed) : exchange;
    } catch (error) {
      return failed(error);
    }
  }

  lost(problem: string | undefined): void {
    this.problems.push(problem);
  }

  enter(exchange: Exchange, trigger: Trigger): Awaitable {
    this.exchanges.push(exchange);
    this.triggers.push(trigger);
    return this.#work(exchange);
  }
}

/** Binds a URI as in a runtime: path and options are checked by the declaration, unknown options rejected unless it is lenient. */
export function endpointOf(declaration: ConnectorDeclaration, uri: string, parameters: Readonly<Record<string, string>> = {}, trusted = true): Endpoint {
  const scheme = uri.slice(0, uri.search(/[:?]|$/));
  const bound = bindEndpoint({ uri, parameters }, { ...declaration, scheme });
  const [problem] = bound.problems;
  if (problem !== undefined) throw new Error(`'${uri}' is invalid: ${problem.message}`);
  return { scheme, uri: bound.uri, path: bound.path, options: bound.values, extra: bound.extra, trusted, authored: trusted };
}

/** State shared by the connectors of one runtime. */
export function sharedState(): SharedState {
  const objects = new Map<string, unknown>();
  return {
    of<T>(name: string, create: () => T): T {
      if (!objects.has(name)) objects.set(name, create());
      return objects.get(name) as T;
    },
  };
}

/** The scope of an endpoint without a flow: expressions are Simple, the only beans are those given by name. */
export function scopeOf(host: Host, route: RouteIdentity = routeIdentity(), beans: Readonly<Record<string, unknown>> = {}): EndpointScope {
  const byName = new Map(languages.map((language) => [language.name, language]));
  const bean = (reference: string): unknown => {
    if (Object.hasOwn(beans, reference)) return beans[reference];
    throw new CompileError("bean-unknown", `unknown bean '${reference}'`);
  };
  return {
    route,
    bean,
    connection(request) {
      if (host.connections === undefined) throw new CompileError("connection-missing", "the host of this test has no connections");
      return host.connections.find({ ...request, user: "test", flowBean: undefined, flowBeans: () => new Map(), propertyBean: undefined, component: {} });
    },
    // It never fires: there is no flow, and thus no other connector.
    source: (uri) => ({ source: { claims: [], exclusive: false, start: () => undefined, stop: () => undefined }, uri, trigger: undefined }),
    expression: (text) =>
      (byName.get("simple") as LanguageDeclaration).compile(text, {}, { host, route, property: () => undefined, language: (name) => byName.get(name), bean }),
  };
}

/** A connector and its endpoints, as in one runtime. */
export function connectorUnderTest(declaration: ConnectorDeclaration, host: Host) {
  const connector = declaration.connect(host, sharedState());
  const missing = (kind: string): never => {
    throw new Error(`${declaration.scheme} has no ${kind}`);
  };
  return {
    source: (uri: string, route = routeIdentity()) => connector.source?.(endpointOf(declaration, uri), scopeOf(host, route)) ?? missing("source"),
    sink: (uri: string, trusted = true) => connector.sink?.(endpointOf(declaration, uri, {}, trusted), scopeOf(host)) ?? missing("sink"),
    poller: (uri: string) => connector.poller?.(endpointOf(declaration, uri), scopeOf(host)) ?? missing("poller"),
    backlog: () => connector.backlog?.() ?? [],
  };
}

/** The FlowError that the action throws; throws another error when the action succeeds. */
export async function failureOf(action: () => Awaitable<unknown>): Promise<FlowError> {
  try {
    await action();
  } catch (error) {
    if (isFlowError(error)) return error;
    throw error;
  }
  throw new Error("expected a FlowError, but the call succeeded");
}
