import { defineLanguage } from "@sluice/engine/spi";
import { idOption, resultTypeOption, trimOption } from "../language-values/language-options.ts";
import { compileResultType } from "../language-values/result-type.ts";
import { compileGroovy } from "./groovy-compiler.ts";
import { truth } from "./groovy-operators.ts";
import { parseGroovy } from "./groovy-parser.ts";

/** The subset of Groovy that routes use, compiled to closures; no Java is involved. */
export const groovy = defineLanguage({
  name: "groovy",
  costly: true,
  title: "Groovy",
  summary: "Evaluates a subset of Groovy: property access, text with ${…}, arithmetic, comparisons, lists, maps and closures.",
  group: "language",
  icon: "code",
  since: "0.2",
  options: { resultType: resultTypeOption, trim: trimOption, id: idOption },
  examples: [
    {
      title: "Text with values",
      yaml: `setBody: {groovy: '"Hello \${body.name}, \${headers.tier ?: ''standard''}"'}`,
      given: { body: { name: "Ada" } },
      expect: { body: "Hello Ada, standard" },
    },
    {
      title: "Process a list",
      yaml: `setBody: {groovy: "body.lines.findAll { it.qty > 0 }.collect { [sku: it.sku, total: it.qty * it.price] }"}`,
      given: {
        body: {
          lines: [
            { sku: "A", qty: 2, price: 1.5 },
            { sku: "B", qty: 0, price: 9 },
          ],
        },
      },
      expect: { body: [{ sku: "A", total: 3 }] },
    },
    {
      title: "A condition",
      yaml: `choice: {when: [{groovy: "body?.total >= 100 && headers.country in ['AT', 'DE']", steps: [{setBody: {constant: large}}]}]}`,
      given: { body: { total: 150 }, headers: { country: "AT" } },
      expect: { body: "large" },
    },
  ],
  compile: (text, options, scope) => {
    const evaluate = compileGroovy(parseGroovy(text), scope.host);
    const convert = compileResultType(options["resultType"]);
    return (exchange) => convert(evaluate(exchange));
  },
  compilePredicate: (text, _options, scope) => {
    const evaluate = compileGroovy(parseGroovy(text), scope.host);
    return (exchange) => truth(evaluate(exchange));
  },
});
