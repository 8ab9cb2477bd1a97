import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { sendWithVariables, variableFields } from "../send-with-variables.ts";

/** Sends the message to a fixed endpoint; its reply, if any, becomes the message. */
export const to = defineStep({
  name: "to",
  title: "To",
  summary: "Sends the message to an endpoint.",
  group: "routing",
  icon: "arrow-right",
  since: "0.1",
  shorthand: "uri",
  options: {
    uri: f.uri({
      doc: "Where to send; taken as written, without expressions.",
      required: true,
      examples: ["direct:orders"],
    }),
    parameters: f.parameters({ doc: "Options of the endpoint.", default: {} }),
    pattern: f.enum(["InOnly", "InOut"], {
      doc: "Whether a reply is expected, for this call only.",
      group: "advanced",
    }),
    ...variableFields,
  },
  examples: [
    {
      title: "To a recording endpoint",
      yaml: "to: mock:out",
      given: { body: "a" },
      expect: { body: "a" },
    },
  ],
  compile({ uri, parameters, ...call }, compiler, node) {
    const outlet = compiler.endpoints.to({ uri, parameters, span: node.span });
    return sendWithVariables((exchange) => outlet.send(exchange), call, compiler.host);
  },
});
