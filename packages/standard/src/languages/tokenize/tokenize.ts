import { CompileError, asText, defineLanguage, type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { idOption, isOn, resultTypeOption, sourceOption, trimOption, wholeNumber } from "../language-values/language-options.ts";
import { compileLinearPattern } from "../language-values/linear-pattern.ts";
import { compileSource } from "../language-values/source.ts";
import { elementCutter, tagName } from "./element-cutter.ts";
import { pairCutter, patternCutter, separatorCutter } from "./text-cutters.ts";
import { compileTokensType, tokensOf, type Cutter } from "./token-stream.ts";

type Options = Readonly<Record<string, string>>;

/** Text taken apart at a token, lazily: what a split takes one by one is never in memory as a whole. */
export const tokenize = defineLanguage({
  name: "tokenize",
  title: "Tokenize",
  summary: "Takes text apart at a separator, between a start and an end, or into XML elements.",
  group: "language",
  icon: "scissors",
  since: "0.1",
  textKey: "token",
  options: {
    endToken: f.text({ doc: "Ends a token that `token` starts; everything between two tokens is dropped." }),
    includeTokens: f.boolean({ doc: "Keeps the start and end token, or the separator, as part of what is handed out.", default: false }),
    inheritNamespaceTagName: f.string({ doc: "With xml: the parent tag whose namespace declarations every element gets; * for the root.", group: "advanced" }),
    regex: f.boolean({ doc: "The token is a regular expression.", default: false }),
    xml: f.boolean({ doc: "The token is the name of an XML element; each such element is handed out.", default: false }),
    group: f.integer({ doc: "Hands out so many tokens as one text.", min: 0 }),
    groupDelimiter: f.text({ doc: "What stands between the tokens of a group; the token itself unless said." }),
    skipFirst: f.boolean({ doc: "Drops the first token, such as a header line.", default: false }),
    source: sourceOption,
    resultType: resultTypeOption,
    trim: trimOption,
    id: idOption,
  },
  examples: [
    {
      title: "Parts of a list",
      yaml: `split: {tokenize: ",", aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{setBody: {simple: "<\${body}>"}}]}`,
      given: { body: "a,b" },
      expect: { body: ["<a>", "<b>"] },
    },
    {
      title: "Two lines at a time, without the header",
      yaml: `split: {tokenize: {token: "\\n", group: 2, skipFirst: true}, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"}`,
      given: { body: "name\nAda\nBob\nCy" },
      expect: { body: ["Ada\nBob", "Cy"] },
    },
  ],
  compile: (text, options, scope) => {
    const convert = compileTokensType(options["resultType"]);
    const source = compileSource(options["source"]);
    const cutterFor = compileCutter(text, options, scope);
    const group = wholeNumber(options, "group") ?? 0;
    const skipFirst = isOn(options, "skipFirst");
    const join = compileJoin(newLines(text), options);
    return (exchange) => convert(tokensOf(source(exchange), () => cutterFor(exchange), { skipFirst, group, joinGroup: join }));
  },
});

/** Camel reads the two characters `\n` at the start of a token as a line end. */
function newLines(token: string): string {
  return token.startsWith("\\n") ? `\n${token.slice(2)}` : token;
}

function compileCutter(text: string, options: Options, scope: LanguageScope): (exchange: Exchange) => Cutter {
  if (text === "") throw new CompileError("tokenize-token", "tokenize needs a token to cut at", { hint: 'write token: ","' });
  const include = isOn(options, "includeTokens");
  if (isOn(options, "xml")) {
    const name = tagName(text);
    return () => elementCutter(name, options["inheritNamespaceTagName"]);
  }
  const token = compileToken(text, scope);
  const endText = options["endToken"];
  if (endText !== undefined) {
    const end = compileToken(endText, scope);
    return (exchange) => pairCutter(token(exchange), end(exchange), include);
  }
  if (!isOn(options, "regex")) return (exchange) => separatorCutter(token(exchange), include);
  try {
    const pattern = compileLinearPattern(text);
    return () => patternCutter(pattern, include);
  } catch (cause) {
    throw new CompileError("tokenize-pattern", `the token '${text}' is no pattern that can be used: ${asText(cause)}`);
  }
}

function compileToken(text: string, scope: LanguageScope): Expression<string> {
  const simple = text.includes("${") ? scope.language("simple") : undefined;
  if (simple !== undefined) {
    const value = simple.compile(text, {}, scope);
    return (exchange) => asText(value(exchange));
  }
  const token = newLines(text);
  return () => token;
}

/** Grouped elements are wrapped in one of their own, so that they stay XML. */
function compileJoin(token: string, options: Options): (tokens: readonly string[]) => string {
  if (isOn(options, "xml") && options["groupDelimiter"] === undefined) return (tokens) => `<group>${tokens.join("")}</group>`;
  const separator = options["groupDelimiter"] ?? (isOn(options, "includeTokens") || options["endToken"] !== undefined ? "" : token);
  return (tokens) => tokens.join(separator);
}
