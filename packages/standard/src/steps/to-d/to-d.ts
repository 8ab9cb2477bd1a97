import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { dynamicFields, dynamicUri, given, outletFinder } from "../dynamic-uri.ts";
import { sendWithVariables, variableFields } from "../send-with-variables.ts";

/** Sends the message to an address that is evaluated per message. An empty address sends nothing. */
export const toD = defineStep({
  name: "toD",
  title: "To dynamic",
  summary: "Sends the message to an address that is evaluated per message.",
  guarantees:
    "The step waits until the endpoint accepts the message or replies. The call is made once; the error handler of the route handles retries. The last 1,000 endpoints are cached; unused ones are stopped after five minutes. Values from the message cannot add options to the address or point outside its path.",
  group: "routing",
  icon: "arrow-right-left",
  paletteGroup: "send",
  card: { title: "Send to a computed address", subtitle: "{uri}" },
  since: "0.1",
  shorthand: "uri",
  options: {
    uri: f.uri({
      doc: "Endpoint to send to; may contain Simple expressions.",
      required: true,
      examples: ["direct:${header.target}"],
    }),
    parameters: f.parameters({
      doc: "Options of the endpoint; values may contain Simple expressions.",
      default: {},
    }),
    pattern: f.enum(["InOnly", "InOut"], {
      doc: "Exchange pattern for this call only: InOut expects a reply.",
      group: "advanced",
    }),
    ignoreInvalidEndpoint: f.boolean({
      doc: "Continues without sending when the address is invalid.",
      default: false,
    }),
    ...dynamicFields,
    allowOptimisedComponents: f.boolean({
      doc: "Accepted but ignored.",
      default: true,
      group: "advanced",
    }),
    autoStartComponents: f.boolean({
      doc: "Accepted but ignored.",
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
    const find = outletFinder(compiler.endpoints.dynamic({ ...given(address, ignoreInvalidEndpoint), allowedSchemes, span: node.span }), ignoreInvalidEndpoint);
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
