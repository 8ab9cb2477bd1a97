import { defineStep, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import type { AggregationStrategy } from "../../beans/aggregation-strategy.ts";
import { addressExpression, addressesOf, dynamicFields, given, outletFinder } from "../dynamic-uri.ts";
import { mergeResult } from "../merge-result.ts";
import { sendWithVariables, variableFields } from "../send-with-variables.ts";
import { settle } from "../settle.ts";
import { strategyFields, strategyOf } from "../strategy-option.ts";

/** Calls another endpoint with a copy of the message and merges its reply. */
export const enrich = defineStep({
  name: "enrich",
  title: "Enrich",
  summary: "Calls another endpoint and merges its reply into the message.",
  guarantees:
    "The endpoint is called with a copy of the message and the step waits for its reply. The call is made once; the error handler of the route handles retries. The original message changes only when the call succeeds, or when aggregateOnException is set.",
  group: "routing",
  icon: "circle-plus",
  paletteGroup: "send",
  card: { title: "Add data from", subtitle: "{expression}" },
  since: "0.1",
  keywords: ["merge", "join", "lookup"],
  options: {
    expression: f.expression({ doc: "The address to call.", required: true, inline: true }),
    ...strategyFields,
    aggregateOnException: f.boolean({
      doc: "Calls the strategy when the call fails instead of failing; has no effect without a strategy.",
      default: false,
      group: "advanced",
    }),
    shareUnitOfWork: f.boolean({
      doc: "Accepted but ignored: a failed call fails the exchange unless aggregateOnException is set.",
      default: false,
      group: "advanced",
    }),
    ignoreInvalidEndpoint: f.boolean({ doc: "Continues without a call when the address is invalid.", default: false }),
    ...dynamicFields,
    allowOptimisedComponents: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
    autoStartComponents: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
    ...variableFields,
  },
  examples: [{ title: "Call another endpoint", yaml: 'enrich: {constant: "mock:lookup"}', given: { body: "a" }, expect: { body: "a" } }],
  compile({ expression, aggregateOnException, ignoreInvalidEndpoint, allowedSchemes, variableSend, variableReceive, ...options }, compiler, node) {
    const { host } = compiler;
    const address = addressExpression(expression, compiler);
    const strategy = strategyOf(options, compiler);
    const find = outletFinder(
      compiler.endpoints.dynamic({ ...given(addressesOf(expression), ignoreInvalidEndpoint), allowedSchemes, span: node.span }),
      ignoreInvalidEndpoint,
    );
    const call = (exchange: Exchange): Awaitable => {
      const uri = asText(address(exchange)).trim();
      const outlet = find(uri, exchange);
      if (outlet === undefined) return undefined;
      const copy = copyExchange(exchange, host.ids, { pattern: "InOut", sameUnit: true });
      return settle(
        () => outlet.send(copy),
        () => merge(exchange, copy, strategy),
        (error) => {
          if (!aggregateOnException || strategy === undefined) throw error;
          copy.failure = error;
          merge(exchange, copy, strategy);
        },
      );
    };
    return sendWithVariables(call, { variableSend, variableReceive }, host);
  },
});

function merge(exchange: Exchange, reply: Exchange, strategy: AggregationStrategy | undefined): void {
  const result = strategy === undefined ? reply : strategy.aggregate(exchange, reply, exchange);
  mergeResult(exchange, result, { stops: true });
  if (result !== reply) exchange.ending = reply.ending;
}
