// What a connector's test needs of an engine: exchanges, an inlet that records, and endpoints bound as a runtime would bind them.
import { Exchange, FlowError, Headers, Message, Run, toFlowError } from "@sluice/engine/spi";
import type { Awaitable, ConnectorDeclaration, Delivery, Endpoint, Host, Inlet, Processor, RouteIdentity, Trigger } from "@sluice/engine/spi";
import type { Fields } from "@sluice/model";

/** An identity for a route that only exists in a test. */
export function routeIdentity(id = "route1", flowId = "flow1"): RouteIdentity {
  return { id, flowId, flowHash: "0".repeat(64) };
}

let exchanges = 0;

/** An exchange under way in a route of its own. */
export function exchangeOf(body: unknown = null, headers: Readonly<Record<string, unknown>> = {}, delivery: Delivery = {}): Exchange {
  const run = new Run(`run-${++exchanges}`, routeIdentity("sender"), 0, delivery.trigger ?? { uri: "test:sender" }, undefined, delivery.session);
  run.correlationId = delivery.correlationId;
  run.trace = delivery.trace;
  const exchange = new Exchange(`exchange-${exchanges}`, run, delivery.pattern ?? "InOnly", new Message(body, Headers.of(headers)));
  if (delivery.properties !== undefined) exchange.properties = new Map(delivery.properties);
  if (delivery.variables !== undefined) exchange.variables = new Map(delivery.variables);
  return exchange;
}

/** An inlet that runs `work` on what arrives and keeps every exchange, in order of arrival. */
export class FakeInlet implements Inlet {
  readonly route: RouteIdentity;
  readonly exchanges: Exchange[] = [];
  readonly triggers: Trigger[] = [];
  readonly deliveries: (Delivery | undefined)[] = [];
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
    const failed = (thrown: unknown): Exchange => {
      exchange.failure = toFlowError(thrown);
      return exchange;
    };
    try {
      const result = this.#work(exchange);
      return result instanceof Promise ? result.then(() => exchange, failed) : exchange;
    } catch (thrown) {
      return failed(thrown);
    }
  }

  enter(exchange: Exchange, trigger: Trigger): Awaitable {
    this.exchanges.push(exchange);
    this.triggers.push(trigger);
    return this.#work(exchange);
  }
}

/** Binds a URI as a runtime would: path and options checked by the declaration, unknown options refused unless it is lenient. */
export function endpointOf(declaration: ConnectorDeclaration, uri: string, parameters: Readonly<Record<string, string>> = {}, trusted = true): Endpoint {
  const colon = uri.indexOf(":");
  const scheme = colon < 0 ? uri : uri.slice(0, colon);
  const rest = colon < 0 ? "" : uri.slice(colon + 1).replace(/^\/\//, "");
  const question = rest.indexOf("?");
  const path = question < 0 ? rest : rest.slice(0, question);
  const given: Record<string, string> = { ...parameters };
  for (const pair of question < 0 ? [] : rest.slice(question + 1).split("&")) {
    const equals = pair.indexOf("=");
    given[equals < 0 ? pair : pair.slice(0, equals)] = equals < 0 ? "" : decodeURIComponent(pair.slice(equals + 1).replaceAll("+", " "));
  }
  const pathField = Object.keys(declaration.path as Fields)[0];
  if (pathField !== undefined && path !== "") given[pathField] = path;
  const fields: Fields = { ...(declaration.path as Fields), ...(declaration.options as Fields) };
  const extra: Record<string, string> = {};
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(fields, name)) continue;
    if (declaration.lenient !== true) throw new Error(`unknown option '${name}' of ${declaration.scheme}`);
    extra[name] = given[name] as string;
  }
  const options: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) options[name] = field.parse(given[name]);
  return { scheme, uri: question < 0 ? uri : uri.slice(0, uri.indexOf("?")), path, options, extra, trusted };
}

/** A connector with its endpoints at hand, as one runtime would hold it. */
export function connectorUnderTest(declaration: ConnectorDeclaration, host: Host) {
  const connector = declaration.connect(host);
  const missing = (kind: string): never => {
    throw new Error(`${declaration.scheme} has no ${kind}`);
  };
  return {
    source: (uri: string, route = routeIdentity()) => connector.source?.(endpointOf(declaration, uri), route) ?? missing("source"),
    sink: (uri: string, trusted = true) => connector.sink?.(endpointOf(declaration, uri, {}, trusted)) ?? missing("sink"),
    poller: (uri: string) => connector.poller?.(endpointOf(declaration, uri)) ?? missing("poller"),
  };
}

/** The failure a processor ends with; fails when it does not. */
export async function failureOf(action: () => Awaitable<unknown>): Promise<FlowError> {
  try {
    await action();
  } catch (thrown) {
    if (thrown instanceof FlowError) return thrown;
    throw thrown;
  }
  throw new Error("expected a FlowError, but it went well");
}
