import { defineStep, type Exchange, type Processor } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { useLatestStrategy } from "../../beans/use-latest.ts";
import { branchesOf } from "../branches.ts";
import { addressExpression, dynamicFields, normalUri, outletFinder } from "../dynamic-uri.ts";
import { fanOut } from "../fan-out.ts";
import { fanOutFields, refuseIdleTimeout } from "../fan-out-fields.ts";
import { uriList } from "../uri-list.ts";
import { strategyOf } from "../strategy-option.ts";

/** Sends a copy to each address the message names. */
export const recipientList = defineStep({
  name: "recipientList",
  title: "Recipient list",
  summary: "Sends a copy of the message to each address of a list worked out per message.",
  group: "splitting",
  icon: "users",
  since: "0.1",
  options: {
    expression: f.expression({ doc: "The addresses: a list, or text with a delimiter.", required: true, inline: true }),
    delimiter: f.text({ doc: "What separates addresses in text; `false` takes the text as one address.", default: "," }),
    ignoreInvalidEndpoints: f.boolean({ doc: "Leaves out addresses that lead nowhere.", default: false }),
    ...dynamicFields,
    ...fanOutFields,
  },
  examples: [{ title: "To whom it concerns", yaml: 'recipientList: {constant: "mock:a,mock:b"}', given: { body: "news" }, expect: { body: "news" } }],
  compile({ expression, delimiter, ignoreInvalidEndpoints, allowedSchemes, ...options }, compiler, node) {
    refuseIdleTimeout(options);
    const { host } = compiler;
    const value = addressExpression(expression, compiler, delimiter);
    const find = outletFinder(compiler.endpoints.dynamic({ template: expression.text, allowedSchemes, span: node.span }), ignoreInvalidEndpoints);
    const settings = { ...options, strategy: strategyOf(options, compiler) ?? useLatestStrategy, host };
    return (exchange) => {
      const runs: Processor[] = [];
      for (const uri of uriList(value(exchange), delimiter)) {
        const outlet = ignoreInvalidEndpoints ? find(uri, exchange) : undefined;
        if (ignoreInvalidEndpoints && outlet === undefined) continue;
        runs.push((copy: Exchange) => {
          copy.setProperty("CamelRecipientListEndpoint", normalUri(uri));
          return (outlet ?? find(uri, copy))?.send(copy);
        });
      }
      return fanOut(exchange, branchesOf(exchange, runs.values(), host, options.shareUnitOfWork), settings);
    };
  },
});
