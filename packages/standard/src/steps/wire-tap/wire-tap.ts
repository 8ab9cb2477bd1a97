import { defineStep, type Compiler, type Processor } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import { f, type Span } from "@sluice/model";
import { dynamicFields, dynamicUri, given, outletFinder } from "../dynamic-uri.ts";
import { isTemplate } from "../template.ts";
import { variable } from "../variables.ts";

/** Sends a detached copy; its outcome does not affect the message. */
export const wireTap = defineStep({
  name: "wireTap",
  title: "Wire tap",
  summary: "Sends a copy to an endpoint without waiting for it.",
  guarantees:
    "The message continues without waiting, and a failure of the copy does not affect it: the copy is a separate run. The copy is in memory only and is lost in a crash; send it to a durable queue if it must not be lost. At most 100,000 copies per route can be waiting to start; additional copies fail. Copies start in order but can overtake each other.",
  group: "splitting",
  icon: "cable",
  paletteGroup: "send",
  card: { title: "Copy to" },
  since: "0.1",
  options: {
    uri: f.uri({ doc: "Endpoint for the copy; may contain Simple expressions.", required: true }),
    parameters: f.parameters({ doc: "Options of the endpoint; values may contain Simple expressions.", default: {} }),
    dynamicUri: f.boolean({ doc: "Whether the URI and its parameters may contain Simple expressions.", default: true }),
    copy: f.boolean({ doc: "Accepted but ignored: the tap always sends a copy.", default: true, group: "advanced" }),
    pattern: f.enum(["InOnly", "InOut"], { doc: "Accepted but ignored: a tap never waits for a reply.", group: "advanced" }),
    variableSend: f.string({ doc: "Variable whose value is sent as the body, in place of the message body.", group: "advanced" }),
    variableReceive: f.string({ doc: "Accepted but ignored: a tap has no reply.", group: "advanced" }),
    onPrepare: f.unsupported("onPrepare refers to a Java processor; put the steps into the route the tap sends to"),
    ignoreInvalidEndpoint: f.boolean({ doc: "Sends nothing when the address is invalid.", default: false }),
    ...dynamicFields,
    allowOptimisedComponents: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
    autoStartComponents: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
    executorService: f.string({ doc: "Accepted but ignored: there are no thread pools.", group: "advanced" }),
  },
  examples: [{ title: "Keep an audit trail", yaml: "wireTap: {uri: mock:audit}", given: { body: "a" }, expect: { body: "a" } }],
  compile({ uri, parameters, dynamicUri: dynamic, variableSend, ignoreInvalidEndpoint, allowedSchemes }, compiler, node) {
    const { host, tasks } = compiler;
    const source = variableSend === undefined ? undefined : variable(variableSend, host);
    const isFixed = !dynamic || ![uri, ...Object.values(parameters)].some(isTemplate);
    const send = isFixed
      ? fixedSend({ uri, parameters, span: node.span }, compiler)
      : dynamicSend({ uri, parameters, allowedSchemes, ignoreInvalidEndpoint, span: node.span }, compiler);
    return (exchange) => {
      const copy = copyExchange(exchange, host.ids, { pattern: "InOnly" });
      if (source !== undefined) copy.message.body = source.get(exchange) ?? null;
      tasks.detach(copy, send);
    };
  },
});

interface Address {
  readonly uri: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly span: Span;
}

function fixedSend(address: Address, compiler: Compiler): Processor {
  const outlet = compiler.endpoints.to(address);
  return (copy) => outlet.send(copy);
}

/** The address is evaluated in the run of the copy, so that an invalid one does not fail the message. */
function dynamicSend(
  address: Address & { readonly allowedSchemes: string | undefined; readonly ignoreInvalidEndpoint: boolean },
  compiler: Compiler,
): Processor {
  const { span, allowedSchemes, ignoreInvalidEndpoint } = address;
  const uri = dynamicUri(address.uri, address.parameters, compiler, span);
  const find = outletFinder(compiler.endpoints.dynamic({ ...given(uri, ignoreInvalidEndpoint), allowedSchemes, span }), ignoreInvalidEndpoint);
  return (copy) => {
    const target = uri.text(copy);
    return target === "" ? undefined : find(target, copy)?.send(copy);
  };
}
