// intercept, interceptFrom and interceptSendToEndpoint as wrappers around steps, triggers and sends.
import type { StepNode, Values } from "@sluice/model";
import { ending } from "../exchange/exchange.ts";
import type { Compiler } from "../spi/compiler.ts";
import type { Processor } from "../spi/processor.ts";
import type { interceptFields, interceptFromFields, interceptSendFields } from "../entities/route-entities.ts";
import type { SendInterceptor } from "./route-parts.ts";
import { uriPattern } from "./uri-pattern.ts";

export type InterceptOptions = Values<typeof interceptFields>;
export type InterceptFromOptions = Values<typeof interceptFromFields>;
export type InterceptSendOptions = Values<typeof interceptSendFields>;

/** First one, then the other, unless the first ended the exchange. */
export function chain(first: Processor, second: Processor): Processor {
  return (exchange) => {
    const pending = first(exchange);
    if (pending === undefined) return exchange.ending === ending.none ? second(exchange) : undefined;
    return pending.then(() => (exchange.ending === ending.none ? second(exchange) : undefined));
  };
}

function conditional(options: { readonly onWhen?: InterceptOptions["onWhen"]; readonly steps: InterceptOptions["steps"] }, compiler: Compiler): Processor {
  const steps = compiler.steps(options.steps as readonly StepNode[]);
  if (options.onWhen === undefined) return steps;
  const holds = compiler.predicate(options.onWhen);
  return (exchange) => (holds(exchange) ? steps(exchange) : undefined);
}

export function stepInterceptor(all: readonly InterceptOptions[], compiler: Compiler): ((step: Processor) => Processor) | undefined {
  const before = all.filter(({ disabled }) => !disabled).map((options) => conditional(options, compiler));
  if (before.length === 0) return undefined;
  const first = before.reduce(chain);
  return (step) => (exchange) => {
    const at = exchange.at;
    const pending = first(exchange);
    const go = () => {
      if (exchange.ending !== ending.none) return undefined;
      exchange.at = at;
      return step(exchange);
    };
    return pending === undefined ? go() : pending.then(go);
  };
}

/** What runs when a message enters by this trigger. */
export function entryInterceptor(all: readonly InterceptFromOptions[], from: string, compiler: Compiler): Processor | undefined {
  const matching = all
    .filter(({ disabled, uri }) => !disabled && (uri === undefined || uriPattern(uri)(from)))
    .map((options) => conditional(options, compiler));
  if (matching.length === 0) return undefined;
  const steps = matching.reduce(chain);
  return (exchange) => {
    exchange.setProperty("CamelInterceptedEndpoint", from.replace(/^([a-z][\w.+-]*):(?!\/\/)/i, "$1://"));
    return steps(exchange);
  };
}

export function sendInterceptors(all: readonly InterceptSendOptions[], compiler: Compiler): readonly SendInterceptor[] {
  return all
    .filter(({ disabled }) => !disabled)
    .map((options) => {
      const steps = compiler.steps(options.steps as readonly StepNode[]);
      const holds = options.onWhen === undefined ? undefined : compiler.predicate(options.onWhen);
      const skip = options.skipSendToOriginalEndpoint.trim().toLowerCase() === "true";
      const after = options.afterUri === undefined ? undefined : compiler.endpoints.to({ uri: options.afterUri, parameters: {}, span: noSpan });
      return {
        matches: uriPattern(options.uri),
        wrap: (send, uri) => (exchange) => {
          if (holds !== undefined && !holds(exchange)) return send(exchange);
          exchange.setProperty("CamelInterceptedEndpoint", uri);
          const detour = chain(steps, skip ? () => undefined : send);
          return (after === undefined ? detour : chain(detour, (passed) => after.send(passed)))(exchange);
        },
      };
    });
}

const noSpan = { line: 1, column: 1, endLine: 1, endColumn: 1, start: 0, end: 0 };
