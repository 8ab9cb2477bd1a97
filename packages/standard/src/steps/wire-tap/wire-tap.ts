import { copyExchange, defineStep, type Compiler, type Processor } from "@sluice/engine/spi";
import { f, type Span } from "@sluice/model";
import { dynamicFields, dynamicUri, outletFinder } from "../dynamic-uri.ts";
import { isTemplate } from "../template.ts";
import { variable } from "../variables.ts";

/** Sends a copy on its own way; whatever happens to it, the message goes on. */
export const wireTap = defineStep({
  name: "wireTap",
  title: "Wire tap",
  summary: "Sends a copy elsewhere without waiting for it.",
  group: "splitting",
  icon: "cable",
  since: "0.1",
  options: {
    uri: f.uri({ doc: "Where the copy goes; may contain Simple.", required: true }),
    parameters: f.parameters({ doc: "Options of the endpoint.", default: {} }),
    dynamicUri: f.boolean({ doc: "Whether the URI may contain Simple.", default: true }),
    copy: f.boolean({ doc: "Accepted without effect: what is sent is always a copy.", default: true, group: "advanced" }),
    pattern: f.enum(["InOnly", "InOut"], { doc: "Accepted without effect: a tap never waits for a reply.", group: "advanced" }),
    variableSend: f.string({ doc: "Variable that is sent as the body instead of the message's own.", group: "advanced" }),
    ignoreInvalidEndpoint: f.boolean({ doc: "Sends nothing when the address leads nowhere.", default: false }),
    ...dynamicFields,
    allowOptimisedComponents: f.boolean({ doc: "Accepted without effect.", default: true, group: "advanced" }),
    autoStartComponents: f.boolean({ doc: "Accepted without effect.", default: true, group: "advanced" }),
    executorService: f.string({ doc: "Accepted without effect: there are no thread pools.", group: "advanced" }),
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

/** The address is worked out within the copy's own run: even a wrong one does not reach the message. */
function dynamicSend(
  address: Address & { readonly allowedSchemes: string | undefined; readonly ignoreInvalidEndpoint: boolean },
  compiler: Compiler,
): Processor {
  const { span, allowedSchemes, ignoreInvalidEndpoint } = address;
  const uri = dynamicUri(address.uri, address.parameters, compiler, span);
  const find = outletFinder(compiler.endpoints.dynamic({ template: uri.template, allowedSchemes, span }), ignoreInvalidEndpoint);
  return (copy) => {
    const target = uri.text(copy);
    return target === "" ? undefined : find(target, copy)?.send(copy);
  };
}
