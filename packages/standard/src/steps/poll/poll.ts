import { defineStep, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { dynamicFields, dynamicUri, given } from "../dynamic-uri.ts";
import { sendWithVariables } from "../send-with-variables.ts";
import { after } from "../settle.ts";
import { mergePolled } from "../merge-polled.ts";

/** Receives one message from an endpoint as the new body. */
export const poll = defineStep({
  name: "poll",
  title: "Poll",
  summary: "Receives one message from an endpoint; its body replaces the body of the current message.",
  guarantees:
    "At most one message is received. A message from a durable queue is removed when this run succeeds and is delivered again when it fails; a file counts as processed once it is read; a message from an in-memory queue is removed immediately. Waiting does not block other messages.",
  group: "routing",
  icon: "inbox",
  paletteGroup: "send",
  card: { title: "Read from" },
  since: "0.1",
  shorthand: "uri",
  options: {
    uri: f.uri({ doc: "Endpoint to poll; may contain Simple expressions.", required: true }),
    parameters: f.parameters({ doc: "Options of the endpoint; values may contain Simple expressions.", default: {} }),
    timeout: f.duration({ doc: "Maximum time to wait for a message; a negative value waits without a limit, 0 does not wait.", default: 20_000 }),
    ...dynamicFields,
    variableReceive: f.string({ doc: "Variable that receives the polled body; the message does not change.", group: "advanced" }),
  },
  examples: [{ title: "No message", yaml: 'poll: {uri: "seda:letterbox", timeout: "0"}', given: { body: "a" }, expect: { body: null } }],
  compile({ uri, parameters, timeout, allowedSchemes, variableReceive }, compiler, node) {
    const { host } = compiler;
    const address = dynamicUri(uri, parameters, compiler, node.span);
    const find = compiler.endpoints.poll({ ...given(address), allowedSchemes, span: node.span });
    const receive = (exchange: Exchange): Awaitable =>
      after(find(address.text(exchange), exchange).receive(timeout, exchange), (polled) => mergePolled(exchange, polled, undefined, host));
    return sendWithVariables(receive, { variableReceive }, host);
  },
});
