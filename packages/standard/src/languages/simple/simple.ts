import { CompileError, asText, defineLanguage, findConversion, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { compilePredicateProgram, compileProgram } from "./compile/program.ts";
import { remembered } from "./compile/scope.ts";
import { prettyText } from "./functions/pretty.ts";
import { hasFunction } from "./parse/scan.ts";

type Options = Readonly<Record<string, string>>;
const on = (options: Options, name: string, otherwise: boolean): boolean =>
  options[name] === undefined ? otherwise : options[name].trim().toLowerCase() === "true";

export const simple = defineLanguage({
  name: "simple",
  title: "Simple",
  summary: "Text with functions such as ${body} and ${header.name}, and predicates that compare them.",
  group: "language",
  icon: "braces",
  since: "0.1",
  options: {
    resultType: f.string({ doc: "The type the result is converted to; Boolean makes the text a predicate.", examples: ["Integer"] }),
    trim: f.boolean({ doc: "Removes blanks at both ends of the text before it is read.", default: true, group: "advanced" }),
    trimResult: f.boolean({ doc: "Removes blanks at both ends of the result.", default: false, group: "advanced" }),
    pretty: f.boolean({ doc: "Lays out a result that is JSON or XML for reading.", default: false, group: "advanced" }),
    nested: f.boolean({
      doc: "Evaluates the result again when it is text that holds functions. Only for text the flow itself controls.",
      default: false,
      group: "security",
    }),
    id: f.string({ doc: "An id of the expression, for tools.", group: "advanced" }),
  },
  examples: [
    {
      title: "A text with functions in it",
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
      title: "A choice inside the braces",
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
    throw new CompileError("simple-resource", "text cannot be loaded from a resource here", { hint: "write the text into the flow", offset: 0 });
  return on(options, "trim", true) ? text.trim() : text;
}

function withOptions(expression: Expression, options: Options, scope: LanguageScope): Expression {
  let result = expression;
  if (on(options, "nested", false)) result = evaluatedAgain(result, scope);
  if (on(options, "trimResult", false)) result = changed(result, (value) => (typeof value === "string" ? value.trim() : value));
  if (on(options, "pretty", false)) result = changed(result, (value) => (value === null || value === undefined ? value : (prettyText(value) ?? asText(value))));
  const type = options["resultType"]?.trim() ?? "";
  if (type === "") return result;
  const convert = findConversion(type);
  if (convert === undefined)
    throw new CompileError("language-result-type", `resultType '${type}' is not known`, {
      hint: "write String, Integer, Long, Double, Boolean, byte[], java.util.List or java.util.Map",
    });
  return changed(result, convert);
}

function changed(expression: Expression, change: (value: unknown) => unknown): Expression {
  return (exchange) => change(expression(exchange));
}

/** A text result that holds functions is compiled and evaluated once more; the author asked for it with `nested`. */
function evaluatedAgain(expression: Expression, scope: LanguageScope): Expression {
  const find = remembered((text) => compileProgram(text, scope));
  return (exchange) => {
    const value = expression(exchange);
    if (typeof value !== "string" || !hasFunction(value)) return value;
    return find(value)(exchange);
  };
}
