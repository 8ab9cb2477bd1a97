import { CompileError, defineLanguage, type LanguageDeclaration, type LanguageScope } from "@sluice/engine/spi";
import { isTrue } from "@sluice/engine/values";
import { f } from "@sluice/model";

/** An expression with the language as an option, as tools write it. */
export const language = defineLanguage({
  name: "language",
  title: "Language",
  summary: "An expression in a language that an option specifies.",
  group: "language",
  icon: "languages",
  since: "0.1",
  options: {
    language: f.string({ doc: "Name of the language, such as simple.", required: true }),
    resultType: f.string({ doc: "Type of the result." }),
    trim: f.boolean({ doc: "Trims the text; only simple and constant use this option.", default: true, group: "advanced" }),
    id: f.string({ doc: "Id of the expression, for tools.", group: "advanced" }),
  },
  examples: [
    {
      title: "Simple by name",
      yaml: "setBody: {language: {language: simple, expression: 'Hello ${body}'}}",
      given: { body: "Ada" },
      expect: { body: "Hello Ada" },
    },
  ],
  compile(text, options, scope) {
    return languageOf(options, scope).compile(text, innerOptions(options), scope);
  },
  compilePredicate(text, options, scope) {
    const target = languageOf(options, scope);
    if (target.compilePredicate !== undefined) return target.compilePredicate(text, innerOptions(options), scope);
    const expression = target.compile(text, innerOptions(options), scope);
    return (exchange) => isTrue(expression(exchange));
  },
});

function languageOf(options: Readonly<Record<string, string>>, scope: LanguageScope): LanguageDeclaration {
  const name = options["language"] ?? "";
  const found = name === "language" ? undefined : scope.language(name);
  if (found === undefined)
    throw new CompileError("language-unknown", `unknown language '${name}'`, { hint: "use a language such as simple, jsonpath or xpath" });
  return found;
}

function innerOptions({ language: _, ...rest }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return rest;
}
