import { defineStep, type Exchange, type Processor } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { useLatestStrategy } from "../../beans/use-latest.ts";
import { branchesOf } from "../branches.ts";
import { addressExpression, addressesOf, dynamicFields, given, normalUri, outletFinder } from "../dynamic-uri.ts";
import { fanOut } from "../fan-out.ts";
import { fanOutFields, rejectUnusedTimeout } from "../fan-out-fields.ts";
import { uriList } from "../uri-list.ts";
import { strategyOf } from "../strategy-option.ts";

/** Sends a copy to each address of a list. */
export const recipientList = defineStep({
  name: "recipientList",
  title: "Recipient list",
  summary: "Sends a copy of the message to each address of a list that is evaluated per message.",
  guarantees:
    "Each recipient gets its own copy. Without parallelProcessing, copies are sent one after the other, in the order of the list. With it, up to ten are sent concurrently; results are still merged in order unless streaming is set. There is no transaction across recipients: when one fails, copies that were already sent cannot be recalled. A list may have at most 10,000 addresses.",
  group: "splitting",
  icon: "users",
  paletteGroup: "send",
  card: { title: "Send to list", subtitle: "{expression}" },
  since: "0.1",
  keywords: ["parallel", "fan-out", "scatter"],
  lanes: "addresses",
  options: {
    expression: f.expression({ doc: "The addresses: a list, or text with a delimiter.", required: true, inline: true }),
    delimiter: f.text({ doc: "Separator of addresses in text; `false` treats the text as one address.", default: "," }),
    ignoreInvalidEndpoints: f.boolean({ doc: "Skips invalid addresses.", default: false }),
    ...dynamicFields,
    ...fanOutFields,
  },
  examples: [{ title: "Two recipients", yaml: 'recipientList: {constant: "mock:a,mock:b"}', given: { body: "news" }, expect: { body: "news" } }],
  compile({ expression, delimiter, ignoreInvalidEndpoints, allowedSchemes, ...options }, compiler, node) {
    rejectUnusedTimeout(options);
    const { host } = compiler;
    const value = addressExpression(expression, compiler, delimiter);
    const find = outletFinder(
      compiler.endpoints.dynamic({ ...given(addressesOf(expression, delimiter), ignoreInvalidEndpoints), allowedSchemes, span: node.span }),
      ignoreInvalidEndpoints,
    );
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
