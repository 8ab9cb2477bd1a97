import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { dynamicFields, dynamicUri, outletFinder } from "../dynamic-uri.ts";
import { sendWithVariables, variableFields } from "../send-with-variables.ts";

/** Sends the message to an endpoint whose address is made from the message. An empty address sends nothing. */
export const toD = defineStep({
  name: "toD",
  title: "To dynamic",
  summary: "Sends the message to an address that is worked out per message.",
  group: "routing",
  icon: "arrow-right-left",
  since: "0.1",
  shorthand: "uri",
  options: {
    uri: f.uri({
      doc: "Where to send; may contain Simple.",
      required: true,
      examples: ["direct:${header.target}"],
    }),
    parameters: f.parameters({
      doc: "Options of the endpoint; values may contain Simple.",
      default: {},
    }),
    pattern: f.enum(["InOnly", "InOut"], {
      doc: "Whether a reply is expected, for this call only.",
      group: "advanced",
    }),
    ignoreInvalidEndpoint: f.boolean({
      doc: "Goes on without sending when the address leads nowhere.",
      default: false,
    }),
    ...dynamicFields,
    allowOptimisedComponents: f.boolean({
      doc: "Accepted without effect.",
      default: true,
      group: "advanced",
    }),
    autoStartComponents: f.boolean({
      doc: "Accepted without effect.",
      default: true,
      group: "advanced",
    }),
    ...variableFields,
  },
  examples: [
    {
      title: "By header",
      yaml: 'toD: "mock:${header.queue}"',
      given: { body: "a", headers: { queue: "q1" } },
      expect: { body: "a" },
    },
  ],
  compile({ uri, parameters, ignoreInvalidEndpoint, allowedSchemes, ...call }, compiler, node) {
    const address = dynamicUri(uri, parameters, compiler, node.span);
    const find = outletFinder(compiler.endpoints.dynamic({ template: address.template, allowedSchemes, span: node.span }), ignoreInvalidEndpoint);
    const send = sendWithVariables(
      (exchange) => {
        const target = address.text(exchange);
        return target === "" ? undefined : find(target, exchange)?.send(exchange);
      },
      call,
      compiler.host,
    );
    return send;
  },
});
