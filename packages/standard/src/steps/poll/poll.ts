import { defineStep, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { dynamicFields, dynamicUri } from "../dynamic-uri.ts";
import { sendWithVariables } from "../send-with-variables.ts";
import { after } from "../settle.ts";
import { takePolled } from "../take-polled.ts";

/** Takes one message from an endpoint as the new body. */
export const poll = defineStep({
  name: "poll",
  title: "Poll",
  summary: "Takes one waiting message from an endpoint as the new body.",
  group: "routing",
  icon: "inbox",
  since: "0.1",
  shorthand: "uri",
  options: {
    uri: f.uri({ doc: "Where to take from; may contain Simple.", required: true }),
    parameters: f.parameters({ doc: "Options of the endpoint.", default: {} }),
    timeout: f.duration({ doc: "How long to wait: negative as long as it takes, 0 not at all.", default: 20_000 }),
    ...dynamicFields,
    variableReceive: f.string({ doc: "Variable that receives the polled body; the message itself stays as it was.", group: "advanced" }),
  },
  examples: [{ title: "Nothing there", yaml: 'poll: {uri: "seda:letterbox", timeout: "0"}', given: { body: "a" }, expect: { body: null } }],
  compile({ uri, parameters, timeout, allowedSchemes, variableReceive }, compiler, node) {
    const { host } = compiler;
    const address = dynamicUri(uri, parameters, compiler, node.span);
    const find = compiler.endpoints.poll({ template: address.template, allowedSchemes, span: node.span });
    const take = (exchange: Exchange): Awaitable =>
      after(find(address.text(exchange), exchange).receive(timeout, exchange), (polled) => takePolled(exchange, polled, undefined, host));
    return sendWithVariables(take, { variableReceive }, host);
  },
});
