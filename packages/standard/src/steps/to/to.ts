import { defineStep } from "@sluice/engine/spi";
import { f, kameletUse } from "@sluice/model";
import { kameletSteps } from "../kamelet/kamelet.ts";
import { sendWithVariables, variableFields } from "../send-with-variables.ts";

/** Sends the message to a fixed endpoint; its reply, if any, becomes the message. */
export const to = defineStep({
  name: "to",
  title: "To",
  summary: "Sends the message to an endpoint.",
  guarantees:
    "The step waits until the endpoint accepts the message or replies. The call is made once; the error handler of the route handles retries. The page of the connector describes when a message counts as accepted.",
  group: "routing",
  icon: "arrow-right",
  paletteGroup: "send",
  since: "0.1",
  shorthand: "uri",
  options: {
    uri: f.uri({
      doc: "Endpoint to send to; literal text without expressions.",
      required: true,
      examples: ["direct:orders"],
    }),
    parameters: f.parameters({ doc: "Options of the endpoint.", default: {} }),
    pattern: f.enum(["InOnly", "InOut"], {
      doc: "Exchange pattern for this call only: InOut expects a reply.",
      group: "advanced",
    }),
    ...variableFields,
  },
  examples: [
    {
      title: "To a mock endpoint",
      yaml: "to: mock:out",
      given: { body: "a" },
      expect: { body: "a" },
    },
  ],
  compile({ uri, parameters, ...call }, compiler, node) {
    const use = kameletUse(uri, parameters);
    if (use !== undefined) return sendWithVariables(compiler.steps(kameletSteps(use, compiler, node)), call, compiler.host);
    const outlet = compiler.endpoints.to({ uri, parameters, span: node.span });
    return sendWithVariables((exchange) => outlet.send(exchange), call, compiler.host);
  },
});
