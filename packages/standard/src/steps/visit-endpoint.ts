// One hop of `dynamicRouter` and `routingSlip`.
import type { Awaitable, Compiler, Exchange } from "@sluice/engine/spi";
import type { Span } from "@sluice/model";
import { given, normalUri, outletFinder } from "./dynamic-uri.ts";
import { after } from "./settle.ts";

interface VisitorOptions {
  readonly template: string;
  readonly written?: readonly string[];
  readonly allowedSchemes: string | undefined;
  readonly ignoreInvalidEndpoints: boolean;
  readonly span: Span;
}

/** Sends the exchange to an address; false when routing must stop. */
export function endpointVisitor(
  compiler: Compiler,
  { allowedSchemes, ignoreInvalidEndpoints, span, ...addresses }: VisitorOptions,
): (exchange: Exchange, uri: string) => Awaitable<boolean> {
  const find = outletFinder(compiler.endpoints.dynamic({ ...given(addresses, ignoreInvalidEndpoints), allowedSchemes, span }), ignoreInvalidEndpoints);
  return (exchange, uri) => {
    const outlet = find(uri, exchange);
    if (outlet === undefined) return true;
    exchange.setProperty("CamelSlipEndpoint", normalUri(uri));
    return after(outlet.send(exchange), () => exchange.ending === 0);
  };
}
