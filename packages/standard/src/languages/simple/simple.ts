import { CompileError, defineLanguage, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { asText, findConversion } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { compilePredicateProgram, compileProgram } from "./compile/program.ts";
import { memoize } from "./compile/scope.ts";
import { prettyText } from "./functions/pretty.ts";
import { hasFunction } from "./parse/scan.ts";

type Options = Readonly<Record<string, string>>;
const isOn = (options: Options, name: string, otherwise: boolean): boolean =>
  options[name] === undefined ? otherwise : options[name].trim().toLowerCase() === "true";

export const simple = defineLanguage({
  name: "simple",
  title: "Simple",
  summary: "Text with functions such as ${body} and ${header.name}, and conditions that compare them.",
  group: "language",
  icon: "braces",
  since: "0.1",
  options: {
    resultType: f.string({ doc: "Type of the result; Boolean makes the text a condition.", examples: ["Integer"] }),
    trim: f.boolean({ doc: "Trims the text before it is parsed.", default: true, group: "advanced" }),
    trimResult: f.boolean({ doc: "Trims the result.", default: false, group: "advanced" }),
    pretty: f.boolean({ doc: "Pretty-prints a JSON or XML result.", default: false, group: "advanced" }),
    nested: f.boolean({
      doc: "Evaluates the result again when it is text with functions. Use it only for text that the flow controls.",
      default: false,
      group: "security",
    }),
    id: f.string({ doc: "Id of the expression, for tools.", group: "advanced" }),
  },
  examples: [
    {
      title: "Text with functions",
      yaml: '- setBody:\n    simple: "Hello ${body}, you ordered ${header.count} item(s)"',
      given: { body: "Ann", headers: { count: 3 } },
      expect: { body: "Hello Ann, you ordered 3 item(s)" },
    },
    {
      title: "A field of a JSON body",
      yaml: '- setBody:\n    simple: "${body.order.id}"',
      given: { body: '{"order": {"id": 17}}' },
      expect: { body: 17 },
    },
    {
      title: "A conditional (ternary) inside the braces",
      yaml: "- setBody:\n    simple: \"${header.total > 100 ? 'large' : 'small'}\"",
      given: { headers: { total: 250 } },
      expect: { body: "large" },
    },
  ],
  compile(text, options, scope) {
    if (/^(java\.lang\.)?[Bb]oolean$/.test((options["resultType"] ?? "").trim())) return compilePredicateProgram(sourceOf(text, options), scope);
    return withOptions(compileProgram(sourceOf(text, options), scope), options, scope);
  },
  compilePredicate: (text, options, scope) => compilePredicateProgram(sourceOf(text, options), scope),
});

function sourceOf(text: string, options: Options): string {
  if (/^\s*resource:/.test(text))
    throw new CompileError("simple-resource", "expressions in endpoints and preconditions cannot be loaded with resource:", {
      hint: "write the text into the flow",
      offset: 0,
    });
  return isOn(options, "trim", true) ? text.trim() : text;
}

function withOptions(expression: Expression, options: Options, scope: LanguageScope): Expression {
  let result = expression;
  if (isOn(options, "nested", false)) result = evaluateAgain(result, scope);
  if (isOn(options, "trimResult", false)) result = mapResult(result, (value) => (typeof value === "string" ? value.trim() : value));
  if (isOn(options, "pretty", false))
    result = mapResult(result, (value) => (value === null || value === undefined ? value : (prettyText(value) ?? asText(value))));
  const type = options["resultType"]?.trim() ?? "";
  if (type === "") return result;
  const convert = findConversion(type);
  if (convert === undefined)
    throw new CompileError("language-result-type", `unknown resultType '${type}'`, {
      hint: "write String, Integer, Long, Double, Boolean, byte[], java.util.List or java.util.Map",
    });
  return mapResult(result, convert);
}

function mapResult(expression: Expression, change: (value: unknown) => unknown): Expression {
  return (exchange) => change(expression(exchange));
}

/** For the option `nested`: compiles and evaluates a text result that contains functions. */
function evaluateAgain(expression: Expression, scope: LanguageScope): Expression {
  const find = memoize((text) => compileProgram(text, scope));
  return (exchange) => {
    const value = expression(exchange);
    if (typeof value !== "string" || !hasFunction(value)) return value;
    return find(value)(exchange);
  };
}
