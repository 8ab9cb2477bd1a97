import { CompileError, defineStep } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { addressExpression, addressesOf, dynamicFields } from "../dynamic-uri.ts";
import { uriList } from "../uri-list.ts";
import { endpointVisitor } from "../visit-endpoint.ts";

/** Sends the message to each address in turn; the list is evaluated once. */
export const routingSlip = defineStep({
  name: "routingSlip",
  title: "Routing slip",
  summary: "Sends the message to a list of addresses, one after the other.",
  guarantees:
    "Endpoints are called one after the other on the same exchange. A failure or stop ends the slip. The list is evaluated once and may have at most 10,000 addresses.",
  group: "routing",
  icon: "route",
  paletteGroup: "send",
  card: { title: "Visit in turn", subtitle: "{expression}" },
  since: "0.1",
  shorthand: "slipHeader",
  options: {
    expression: f.expression({ doc: "The addresses: a list, or text with a delimiter.", inline: true }),
    slipHeader: f.string({ doc: "Header with the addresses; the short form `routingSlip: <header>` sets this option.", group: "advanced" }),
    uriDelimiter: f.text({ doc: "Separator of addresses in text.", default: "," }),
    ignoreInvalidEndpoints: f.boolean({ doc: "Skips invalid addresses.", default: false }),
    ...dynamicFields,
  },
  examples: [
    {
      title: "Two endpoints",
      yaml: 'routingSlip: {constant: "mock:a,mock:b"}',
      given: { body: "x" },
      expect: { body: "x", properties: { CamelSlipEndpoint: "mock://b" } },
    },
  ],
  compile({ expression, slipHeader, uriDelimiter, ignoreInvalidEndpoints, allowedSchemes }, compiler, node) {
    if ((expression === undefined) === (slipHeader === undefined))
      throw new CompileError("option-missing", "routingSlip needs an expression or slipHeader, but not both", { hint: "set one of them" });
    const slip = addressExpression(expression ?? { language: "header", text: slipHeader as string, options: {}, span: node.span }, compiler, uriDelimiter);
    const visit = endpointVisitor(compiler, {
      ...(expression === undefined ? { template: "" } : addressesOf(expression, uriDelimiter)),
      allowedSchemes,
      ignoreInvalidEndpoints,
      span: node.span,
    });
    const { clock } = compiler.host;
    return (exchange) => each(uriList(slip(exchange), uriDelimiter).values(), (uri) => visit(exchange, uri), clock);
  },
});
