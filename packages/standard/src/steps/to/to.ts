import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { kameletSteps } from "../kamelet/kamelet.ts";
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
    const name = kameletName(uri, parameters);
    if (name !== undefined) return sendWithVariables(compiler.steps(kameletSteps(name, parameters, compiler, node)), call, compiler.host);
    const outlet = compiler.endpoints.to({ uri, parameters, span: node.span });
    return sendWithVariables((exchange) => outlet.send(exchange), call, compiler.host);
  },
});

/** `kamelet:greet?word=hi` names a template of this flow, with its query; `kamelet:sink` is an endpoint of its own. */
function kameletName(uri: string, { templateId }: Readonly<Record<string, string>>): string | undefined {
  const path = uri === "kamelet" ? templateId : /^kamelet:(?:\/\/)?(.+)$/.exec(uri)?.[1];
  if (path === undefined || /^(source|sink)(\?|$)/.test(path)) return undefined;
  // A name for the route may follow, as in `kamelet:greet/first`.
  return path.replace(/^([^/?]+)\/[^?]*/, "$1");
}
