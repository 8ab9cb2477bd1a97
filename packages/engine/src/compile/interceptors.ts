// intercept, interceptFrom and interceptSendToEndpoint as wrappers around steps, triggers and sends.
import type { Values } from "@sluice/model";
import { ending, type Exchange } from "../exchange/exchange.ts";
import type { Compiler } from "../spi/compiler.ts";
import type { Processor } from "../spi/processor.ts";
import type { interceptFields, interceptFromFields, interceptSendFields } from "../entities/route-entities.ts";
import type { SendInterceptor } from "./route-parts.ts";
import { uriPattern } from "./uri-pattern.ts";

export type InterceptOptions = Values<typeof interceptFields>;
export type InterceptFromOptions = Values<typeof interceptFromFields>;
export type InterceptSendOptions = Values<typeof interceptSendFields>;

/** Runs `first`, then `second` unless the first ended the exchange. */
export function chain(first: Processor, second: Processor): Processor {
  return (exchange) => {
    const pending = first(exchange);
    if (pending === undefined) return exchange.ending === ending.none ? second(exchange) : undefined;
    return pending.then(() => (exchange.ending === ending.none ? second(exchange) : undefined));
  };
}

function conditionalSteps(options: { readonly onWhen?: InterceptOptions["onWhen"]; readonly steps: InterceptOptions["steps"] }, compiler: Compiler): Processor {
  const steps = compiler.steps(options.steps);
  if (options.onWhen === undefined) return steps;
  const condition = compiler.predicate(options.onWhen);
  return (exchange) => (condition(exchange) ? steps(exchange) : undefined);
}

/** The route and trigger of an intercepted message, as properties for the intercepting steps. */
export interface InterceptedRoute {
  readonly id: string;
  /** The trigger's URI in its long form. */
  readonly uri: string;
}

function setInterceptionProperties(exchange: Exchange, route: InterceptedRoute, nodeId: string | undefined): void {
  exchange.setProperty("CamelInterceptedRouteId", route.id);
  exchange.setProperty("CamelInterceptedRouteEndpointUri", route.uri);
  // Camel 4 uses this name.
  exchange.setProperty("CamelInterceptedParentEndpointUri", route.uri);
  if (nodeId !== undefined) exchange.setProperty("CamelInterceptedNodeId", nodeId);
}

export function stepInterceptor(all: readonly InterceptOptions[], route: InterceptedRoute, compiler: Compiler): ((step: Processor) => Processor) | undefined {
  const interceptors = all.filter(({ disabled }) => !disabled).map((options) => conditionalSteps(options, compiler));
  if (interceptors.length === 0) return undefined;
  const first = interceptors.reduce(chain);
  return (step) => (exchange) => {
    const at = exchange.at;
    setInterceptionProperties(exchange, route, at?.id);
    const pending = first(exchange);
    const runStep = () => {
      if (exchange.ending !== ending.none) return undefined;
      exchange.at = at;
      return step(exchange);
    };
    return pending === undefined ? runStep() : pending.then(runStep);
  };
}

/** Steps to run when a message enters through this trigger. */
export function entryInterceptor(all: readonly InterceptFromOptions[], route: InterceptedRoute, compiler: Compiler): Processor | undefined {
  const matching = all
    .filter(({ disabled, uri }) => !disabled && (uri === undefined || uriPattern(uri)(route.uri)))
    .map((options) => conditionalSteps(options, compiler));
  if (matching.length === 0) return undefined;
  const steps = matching.reduce(chain);
  return (exchange) => {
    setInterceptionProperties(exchange, route, undefined);
    exchange.setProperty("CamelInterceptedEndpoint", route.uri);
    return steps(exchange);
  };
}

export function sendInterceptors(all: readonly InterceptSendOptions[], route: InterceptedRoute, compiler: Compiler): readonly SendInterceptor[] {
  return all
    .filter(({ disabled }) => !disabled)
    .map((options) => {
      const steps = compiler.steps(options.steps);
      const condition = options.onWhen === undefined ? undefined : compiler.predicate(options.onWhen);
      const skip = options.skipSendToOriginalEndpoint.trim().toLowerCase() === "true";
      const after = options.afterUri === undefined ? undefined : compiler.endpoints.to({ uri: options.afterUri, parameters: {}, span: noSpan });
      return {
        matches: uriPattern(options.uri),
        wrap: (send, uri) => (exchange) => {
          if (condition !== undefined && !condition(exchange)) return send(exchange);
          setInterceptionProperties(exchange, route, options.id);
          exchange.setProperty("CamelInterceptedEndpoint", uri);
          const intercepted = chain(steps, skip ? () => undefined : send);
          return (after === undefined ? intercepted : chain(intercepted, (exchange) => after.send(exchange)))(exchange);
        },
      };
    });
}

const noSpan = { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
