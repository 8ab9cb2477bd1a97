import { defineLanguage, type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { isTrue, partOfJson } from "@sluice/engine/values";
import { readAhead, readJson, toPlainJson } from "../language-values/json-input.ts";
import { idOption, resultTypeOption, sourceOption, trimOption } from "../language-values/language-options.ts";
import { compileResultType } from "../language-values/result-type.ts";
import { compileSource } from "../language-values/source.ts";
import { compileJq } from "./jq-program.ts";

type Options = Readonly<Record<string, string>>;

/** jq programs over JSON messages: one output is the result, several are a list, none is null. */
export const jq = defineLanguage({
  name: "jq",
  costly: true,
  title: "jq",
  summary: "Reshapes a JSON message with a jq program such as {id: .order.id, skus: [.lines[].sku]}.",
  group: "language",
  icon: "filter",
  since: "0.1",
  options: { resultType: resultTypeOption, source: sourceOption, trim: trimOption, id: idOption },
  examples: [
    { title: "One value", yaml: 'setBody: {jq: ".customer.name"}', given: { body: '{"customer":{"name":"Ada"}}' }, expect: { body: "Ada" } },
    {
      title: "A new shape",
      yaml: `setBody: {jq: '{id: .id, total: ([.lines[] | .qty * .price] | add)}'}`,
      given: { body: '{"id":7,"lines":[{"qty":2,"price":5},{"qty":1,"price":3}]}' },
      expect: { body: { id: 7, total: 13 } },
    },
    { title: "Several outputs are a list", yaml: 'setBody: {jq: ".[] | select(. > 1)"}', given: { body: [1, 2, 3] }, expect: { body: [2, 3] } },
    {
      title: "Headers and body",
      yaml: `setBody: {jq: '{from: header("sender"), text: .text}'}`,
      given: { body: { text: "hi" }, headers: { sender: "ada" } },
      expect: { body: { from: "ada", text: "hi" } },
    },
  ],
  compile: (text, options, scope) => {
    const evaluate = compileProgram(text, options, scope);
    const convert = compileResultType(options["resultType"]);
    return (exchange) => {
      const { outputs, source } = evaluate(exchange);
      const result = outputs.length === 1 ? outputs[0] : outputs.length === 0 ? null : outputs;
      return convert(source === undefined ? result : partOfJson(result, source));
    };
  },
  compilePredicate: (text, options, scope) => {
    const evaluate = compileProgram(text, options, scope);
    return (exchange) => isTrue(evaluate(exchange).outputs[0]);
  },
});

interface Outcome {
  readonly outputs: readonly unknown[];
  /** Set when the outputs may be parts of this parsed body, which other readers use. */
  readonly source: string | Uint8Array | undefined;
}

function compileProgram(text: string, options: Options, scope: LanguageScope): Expression<Outcome> {
  const program = compileJq(text, scope.host.clock);
  const source = compileSource(options["source"], scope);
  readAhead(source, scope);
  return (exchange: Exchange) => {
    const raw = source(exchange);
    const parsed = typeof raw === "string" || raw instanceof Uint8Array ? raw : undefined;
    const input = parsed === undefined ? toPlainJson(raw) : readJson(parsed, exchange, "jq");
    const outputs: unknown[] = [];
    program.run(input, exchange, (value) => outputs.push(value));
    return { outputs, source: outputs.some((value) => typeof value === "object") ? parsed : undefined };
  };
}
