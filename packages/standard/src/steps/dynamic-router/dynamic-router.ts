import { defineStep, FlowError, type Exchange, type Expression } from "@sluice/engine/spi";
import { cancelledError, each } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { addressExpression, dynamicFields } from "../dynamic-uri.ts";
import { uriList } from "../uri-list.ts";
import { endpointVisitor } from "../visit-endpoint.ts";

/** Maximum hops of one message, so that an endless loop fails. */
const maxHops = 10_000;

/** Evaluates the next address after every hop, until it is empty. */
export const dynamicRouter = defineStep({
  name: "dynamicRouter",
  title: "Dynamic router",
  summary: "Sends the message to an address, evaluates the next one, and repeats until there is none.",
  guarantees:
    "Endpoints are called one after the other on the same exchange. A message may take at most 10,000 hops. The last 1,000 endpoints are cached; unused ones are stopped after five minutes.",
  group: "routing",
  icon: "compass",
  paletteGroup: "send",
  card: { title: "Visit in turn", subtitle: "{expression}" },
  since: "0.1",
  options: {
    expression: f.expression({ doc: "The next address or addresses; an empty value ends the routing.", required: true, inline: true }),
    uriDelimiter: f.text({ doc: "Separator of addresses in text.", default: "," }),
    ignoreInvalidEndpoints: f.boolean({ doc: "Skips invalid addresses.", default: false }),
    ...dynamicFields,
  },
  examples: [{ title: "No next address", yaml: "dynamicRouter: {header: next}", given: { body: "x" }, expect: { body: "x" } }],
  compile({ expression, uriDelimiter, ignoreInvalidEndpoints, allowedSchemes }, compiler, node) {
    const next = addressExpression(expression, compiler, uriDelimiter);
    const visit = endpointVisitor(compiler, { template: expression.text, allowedSchemes, ignoreInvalidEndpoints, span: node.span });
    const { clock } = compiler.host;
    return (exchange) => each(hops(exchange, next, uriDelimiter), (uri) => visit(exchange, uri), clock);
  },
});

function* hops(exchange: Exchange, next: Expression, delimiter: string): Generator<string> {
  for (let count = 0; ;) {
    const uris = uriList(next(exchange), delimiter);
    if (uris.length === 0) return;
    count += uris.length;
    if (count > maxHops)
      throw new FlowError(
        "java.lang.IllegalStateException",
        `dynamicRouter made more than ${maxHops} hops for one message; return an empty value to end the routing`,
        { code: "limit-hops" },
      );
    if (exchange.run.isCancelled) throw cancelledError(exchange.run.signal);
    yield* uris;
  }
}
