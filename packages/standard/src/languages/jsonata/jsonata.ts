import { FlowError, defineLanguage, type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { isTrue } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { readAhead, readJson, toPlainJson } from "../language-values/json-input.ts";
import { idOption, resultTypeOption, sourceOption, trimOption } from "../language-values/language-options.ts";
import { compileResultType } from "../language-values/result-type.ts";
import { compileSource } from "../language-values/source.ts";
import { compileJsonata } from "./jsonata-program.ts";

type Options = Readonly<Record<string, string>>;

/** JSONata for JSON messages; `$headers`, `$properties` and `$variables` are available. */
export const jsonata = defineLanguage({
  name: "jsonata",
  costly: true,
  title: "JSONata",
  summary: "Queries and reshapes a JSON message with a JSONata expression such as $sum(lines.(qty * price)).",
  group: "language",
  icon: "braces",
  since: "0.1",
  options: {
    resultType: resultTypeOption,
    source: sourceOption,
    singleSequence: f.boolean({ doc: "Accepted but ignored: a sequence with one item is always replaced with that item.", group: "advanced" }),
    trim: trimOption,
    id: idOption,
  },
  examples: [
    {
      title: "A sum",
      yaml: `setBody: {jsonata: "$sum(lines.(qty * price))"}`,
      given: { body: '{"lines":[{"qty":2,"price":5},{"qty":1,"price":3}]}' },
      expect: { body: 13 },
    },
    {
      title: "A new shape with a header",
      yaml: `setBody: {jsonata: '{"id": id, "by": $headers.sender}'}`,
      given: { body: { id: 7 }, headers: { sender: "ada" } },
      expect: { body: { id: 7, by: "ada" } },
    },
    { title: "No match is null", yaml: 'setBody: {jsonata: "none.at.all"}', given: { body: "{}" }, expect: { body: null } },
  ],
  compile: (text, options, scope) => {
    const evaluate = compileProgram(text, options, scope);
    const convert = compileResultType(options["resultType"]);
    return (exchange) => convert(evaluate(exchange));
  },
  compilePredicate: (text, options, scope) => {
    const evaluate = compileProgram(text, options, scope);
    return (exchange) => isTrue(evaluate(exchange));
  },
});

function compileProgram(text: string, options: Options, scope: LanguageScope): Expression {
  const program = compileJsonata(text, scope.host.clock);
  const source = compileSource(options["source"], scope);
  readAhead(source, scope);
  return (exchange: Exchange) => {
    const raw = source(exchange);
    const input = typeof raw === "string" || raw instanceof Uint8Array ? readJson(raw, exchange, "jsonata") : toPlainJson(raw);
    const result = program.evaluate(input, {
      headers: toPlainJson(exchange.message.headers.toObject()),
      properties: toPlainJson(exchange.properties ?? {}),
      variables: toPlainJson(exchange.variables ?? {}),
    });
    return detach(result);
  };
}

/** Maximum number of values in a result. */
const maxValues = 120_000;

/** Copies a result: JSONata shares parts of its input, tags its lists, and may return functions. */
function detach(result: unknown): unknown {
  if (typeof result !== "object" && typeof result !== "function") return result ?? null;
  return copyOf(result, { remaining: maxValues }) ?? null;
}

function copyOf(value: unknown, budget: { remaining: number }): unknown {
  if (--budget.remaining < 0)
    throw new FlowError("java.lang.IllegalStateException", `size limit: the result of the jsonata expression has more than ${maxValues} values`, {
      code: "limit-size",
    });
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return typeof value === "function" || typeof value === "symbol" ? undefined : value;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (let index = 0; index < value.length; index++) list.push(copyOf(value[index], budget) ?? null);
    return list;
  }
  if (isFunctionValue(value)) return undefined;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const inner = copyOf((value as Record<string, unknown>)[name], budget);
    if (inner === undefined) continue;
    // An assignment to this name would change the prototype.
    if (name === "__proto__") Object.defineProperty(copy, name, { value: inner, enumerable: true, configurable: true, writable: true });
    else copy[name] = inner;
  }
  return copy;
}

function isFunctionValue(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "function";
  const { implementation, environment } = value as { implementation?: unknown; environment?: { lookup?: unknown } | null };
  return typeof implementation === "function" || typeof environment?.lookup === "function";
}
