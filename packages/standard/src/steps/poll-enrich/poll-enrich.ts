import { asText, defineStep, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { addressExpression, dynamicFields, outletFinder } from "../dynamic-uri.ts";
import { sendWithVariables } from "../send-with-variables.ts";
import { after } from "../settle.ts";
import { strategyFields, strategyOf } from "../strategy-option.ts";
import { takePolled } from "../take-polled.ts";

/** Takes one message from an endpoint and merges it. */
export const pollEnrich = defineStep({
  name: "pollEnrich",
  title: "Poll enrich",
  summary: "Takes one waiting message from an endpoint and merges it into this one.",
  group: "routing",
  icon: "download",
  since: "0.1",
  options: {
    expression: f.expression({ doc: "The address to take from.", required: true, inline: true }),
    timeout: f.duration({ doc: "How long to wait: negative as long as it takes, 0 not at all.", default: -1 }),
    ...strategyFields,
    aggregateOnException: f.boolean({ doc: "Accepted without effect: a failed poll always fails the exchange.", default: false, group: "advanced" }),
    ignoreInvalidEndpoint: f.boolean({ doc: "Goes on without polling when the address leads nowhere.", default: false }),
    ...dynamicFields,
    allowOptimisedComponents: f.boolean({ doc: "Accepted without effect.", default: true, group: "advanced" }),
    autoStartComponents: f.boolean({ doc: "Accepted without effect.", default: true, group: "advanced" }),
    variableReceive: f.string({ doc: "Variable that receives the polled body; the message itself stays as it was.", group: "advanced" }),
  },
  examples: [{ title: "Nothing there", yaml: 'pollEnrich: {constant: "seda:letterbox", timeout: "0"}', given: { body: "a" }, expect: { body: null } }],
  compile({ expression, timeout, ignoreInvalidEndpoint, allowedSchemes, variableReceive, ...options }, compiler, node) {
    const { host } = compiler;
    const address = addressExpression(expression, compiler);
    const strategy = strategyOf(options, compiler);
    const find = outletFinder(compiler.endpoints.poll({ template: expression.text, allowedSchemes, span: node.span }), ignoreInvalidEndpoint);
    const take = (exchange: Exchange): Awaitable => {
      const poller = find(asText(address(exchange)).trim(), exchange);
      if (poller === undefined) return undefined;
      return after(poller.receive(timeout, exchange), (polled) => takePolled(exchange, polled, strategy, host));
    };
    return sendWithVariables(take, { variableReceive }, host);
  },
});
