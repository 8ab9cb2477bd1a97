import { CompileError, defineStep, each, type Awaitable, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { addressExpression, dynamicFields, normalUri, outletFinder } from "../dynamic-uri.ts";
import { after } from "../settle.ts";
import { uriList } from "../uri-list.ts";

/** Sends the message from address to address; the list is worked out once. */
export const routingSlip = defineStep({
  name: "routingSlip",
  title: "Routing slip",
  summary: "Sends the message through a list of addresses, one after the other.",
  group: "routing",
  icon: "route",
  since: "0.1",
  shorthand: "slipHeader",
  options: {
    expression: f.expression({ doc: "The addresses: a list, or text with a delimiter.", inline: true }),
    slipHeader: f.string({ doc: "Header that holds the addresses; what a bare text stands for.", group: "advanced" }),
    uriDelimiter: f.text({ doc: "What separates addresses in text.", default: "," }),
    ignoreInvalidEndpoints: f.boolean({ doc: "Passes over addresses that lead nowhere.", default: false }),
    ...dynamicFields,
  },
  examples: [
    {
      title: "Two stations",
      yaml: 'routingSlip: {constant: "mock:a,mock:b"}',
      given: { body: "x" },
      expect: { body: "x", properties: { CamelSlipEndpoint: "mock://b" } },
    },
  ],
  compile({ expression, slipHeader, uriDelimiter, ignoreInvalidEndpoints, allowedSchemes }, compiler, node) {
    if ((expression === undefined) === (slipHeader === undefined))
      throw new CompileError("option-missing", "routingSlip needs an expression, or one text that names a header");
    const slip = addressExpression(expression ?? { language: "header", text: slipHeader as string, options: {}, span: node.span }, compiler, uriDelimiter);
    const find = outletFinder(compiler.endpoints.dynamic({ template: expression?.text ?? "", allowedSchemes, span: node.span }), ignoreInvalidEndpoints);
    const { clock } = compiler.host;
    const visit = (exchange: Exchange, uri: string): Awaitable<boolean> => {
      const outlet = find(uri, exchange);
      if (outlet === undefined) return true;
      exchange.setProperty("CamelSlipEndpoint", normalUri(uri));
      return after(outlet.send(exchange), () => exchange.ending === 0);
    };
    return (exchange) => each(uriList(slip(exchange), uriDelimiter).values(), (uri) => visit(exchange, uri), clock);
  },
});
