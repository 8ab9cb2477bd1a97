import { cancelledError, defineStep, each, FlowError, type Awaitable, type Exchange, type Expression } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { addressExpression, dynamicFields, normalUri, outletFinder } from "../dynamic-uri.ts";
import { after } from "../settle.ts";
import { uriList } from "../uri-list.ts";

/** Hops of one message through one dynamic router; more is a route that never ends. */
const mostHops = 10_000;

/** Asks after every hop where to go next, until the answer is nothing. */
export const dynamicRouter = defineStep({
  name: "dynamicRouter",
  title: "Dynamic router",
  summary: "Asks after every hop where the message goes next.",
  group: "routing",
  icon: "compass",
  since: "0.1",
  options: {
    expression: f.expression({ doc: "The next address or addresses; nothing ends it.", required: true, inline: true }),
    uriDelimiter: f.text({ doc: "What separates addresses in text.", default: "," }),
    ignoreInvalidEndpoints: f.boolean({ doc: "Passes over addresses that lead nowhere.", default: false }),
    ...dynamicFields,
  },
  examples: [{ title: "Nowhere to go", yaml: "dynamicRouter: {header: next}", given: { body: "x" }, expect: { body: "x" } }],
  compile({ expression, uriDelimiter, ignoreInvalidEndpoints, allowedSchemes }, compiler, node) {
    const next = addressExpression(expression, compiler, uriDelimiter);
    const find = outletFinder(compiler.endpoints.dynamic({ template: expression.text, allowedSchemes, span: node.span }), ignoreInvalidEndpoints);
    const { clock } = compiler.host;
    const visit = (exchange: Exchange, uri: string): Awaitable<boolean> => {
      const outlet = find(uri, exchange);
      if (outlet === undefined) return true;
      exchange.setProperty("CamelSlipEndpoint", normalUri(uri));
      return after(outlet.send(exchange), () => exchange.ending === 0);
    };
    return (exchange) => each(hops(exchange, next, uriDelimiter), (uri) => visit(exchange, uri), clock);
  },
});

function* hops(exchange: Exchange, next: Expression, delimiter: string): Generator<string> {
  for (let count = 0; ;) {
    const uris = uriList(next(exchange), delimiter);
    if (uris.length === 0) return;
    count += uris.length;
    if (count > mostHops)
      throw new FlowError("java.lang.IllegalStateException", `dynamicRouter: more than ${mostHops} hops for one message`, { code: "limit-hops" });
    if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
    yield* uris;
  }
}
