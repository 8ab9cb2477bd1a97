import { defineStep, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { addressExpression, addressesOf, dynamicFields, given, outletFinder } from "../dynamic-uri.ts";
import { sendWithVariables } from "../send-with-variables.ts";
import { after } from "../settle.ts";
import { strategyFields, strategyOf } from "../strategy-option.ts";
import { mergePolled } from "../merge-polled.ts";

/** Receives one message from an endpoint and merges it. */
export const pollEnrich = defineStep({
  name: "pollEnrich",
  title: "Poll enrich",
  summary: "Receives one message from an endpoint and merges it into this one.",
  guarantees:
    "At most one message is received. A message from a durable queue is removed when this run succeeds and is delivered again when it fails; a file counts as processed once it is read; a message from an in-memory queue is removed immediately. Waiting does not block other messages.",
  group: "routing",
  icon: "download",
  paletteGroup: "send",
  card: { title: "Add data from", subtitle: "{expression}" },
  since: "0.1",
  options: {
    expression: f.expression({ doc: "The address to poll.", required: true, inline: true }),
    timeout: f.duration({ doc: "Maximum time to wait for a message; a negative value waits without a limit, 0 does not wait.", default: -1 }),
    ...strategyFields,
    aggregateOnException: f.boolean({ doc: "Accepted but ignored: a failed poll always fails the exchange.", default: false, group: "advanced" }),
    ignoreInvalidEndpoint: f.boolean({ doc: "Continues without polling when the address is invalid.", default: false }),
    ...dynamicFields,
    allowOptimisedComponents: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
    autoStartComponents: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
    variableReceive: f.string({ doc: "Variable that receives the polled body; the message does not change.", group: "advanced" }),
  },
  examples: [{ title: "No message", yaml: 'pollEnrich: {constant: "seda:letterbox", timeout: "0"}', given: { body: "a" }, expect: { body: null } }],
  compile({ expression, timeout, ignoreInvalidEndpoint, allowedSchemes, variableReceive, ...options }, compiler, node) {
    const { host } = compiler;
    const address = addressExpression(expression, compiler);
    const strategy = strategyOf(options, compiler);
    const find = outletFinder(
      compiler.endpoints.poll({ ...given(addressesOf(expression), ignoreInvalidEndpoint), allowedSchemes, span: node.span }),
      ignoreInvalidEndpoint,
    );
    const receive = (exchange: Exchange): Awaitable => {
      const poller = find(asText(address(exchange)).trim(), exchange);
      if (poller === undefined) return undefined;
      return after(poller.receive(timeout, exchange), (polled) => mergePolled(exchange, polled, strategy, host));
    };
    return sendWithVariables(receive, { variableReceive }, host);
  },
});
