import { defineLanguage } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { compileValue, readBeanReference } from "../../operator-functions/bean-reference.ts";
import { argumentScope } from "../../operator-functions/call-arguments.ts";
import { idOption, resultTypeOption, trimOption } from "../language-values/language-options.ts";
import { compileResultType } from "../language-values/result-type.ts";

/** The result of an operator function, as a value or a condition. */
export const method = defineLanguage({
  name: "method",
  title: "Method",
  summary: "The result of a function from the operator's module (`SERVICE_FUNCTIONS`).",
  group: "language",
  icon: "function-square",
  since: "0.1",
  textKey: "ref",
  otherTextKeys: ["beanType", "expression"],
  options: {
    method: f.string({ doc: "Name of the method, with arguments if it takes any: `total(${body}, 'EUR')`. Without arguments it receives the exchange." }),
    scope: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    validate: f.boolean({ doc: "Accepted but ignored: an unknown function is always rejected.", default: true, group: "advanced" }),
    resultType: resultTypeOption,
    trim: trimOption,
    id: idOption,
  },
  examples: [
    {
      title: "The result of the operator function `prices.total`",
      yaml: "setHeader: {name: total, method: {ref: prices, method: total}}",
      given: { body: [10, 20, 12] },
      expect: { body: [10, 20, 12], headers: { total: 42 } },
    },
  ],
  compile(text, options, scope) {
    const reference = readBeanReference(text);
    const value = compileValue({ ...reference, method: options["method"] ?? reference.method }, argumentScope(scope));
    const convert = compileResultType(options["resultType"]);
    return (exchange) => convert(value(exchange));
  },
});
