import { CompileError, defineLanguage, type Exchange, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { asText } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { idOption, isOn, resultTypeOption, sourceOption, integerOption } from "../language-values/language-options.ts";
import { compileLinearPattern } from "../language-values/linear-pattern.ts";
import { compileSource } from "../language-values/source.ts";
import { elementTokenizer, tagName } from "./element-tokenizer.ts";
import { pairTokenizer, patternTokenizer, separatorTokenizer } from "./text-tokenizers.ts";
import { compileTokensType, tokensOf, type Tokenizer } from "./token-stream.ts";

type Options = Readonly<Record<string, string>>;

/** Splits text at a token, lazily: without a result type, the tokens are not all held in memory. */
export const tokenize = defineLanguage({
  name: "tokenize",
  title: "Tokenize",
  summary: "Splits text at a separator, between a start and an end token, or into XML elements.",
  group: "language",
  icon: "scissors",
  since: "0.1",
  textKey: "token",
  options: {
    endToken: f.text({ doc: "End token; `token` is then the start token, and text outside the pairs is discarded." }),
    includeTokens: f.boolean({ doc: "Includes the start and end token, or the separator, in the result.", default: false }),
    inheritNamespaceTagName: f.string({
      doc: "With xml: the parent element whose namespace declarations each token inherits; * for the root.",
      group: "advanced",
    }),
    regex: f.boolean({ doc: "Treats the token as a regular expression.", default: false }),
    xml: f.boolean({ doc: "Treats the token as the name of an XML element and returns each such element.", default: false }),
    group: f.integer({ doc: "Joins this many tokens into one string.", min: 0 }),
    groupDelimiter: f.text({
      doc: "Separator of the tokens in a group; by default the token, or nothing with includeTokens or endToken. With xml, a group is wrapped in a group element by default.",
    }),
    skipFirst: f.boolean({ doc: "Discards the first token, such as a header line.", default: false }),
    source: sourceOption,
    resultType: resultTypeOption,
    trim: f.boolean({ doc: "Accepted but ignored: the token is never trimmed.", default: true, group: "advanced" }),
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
    const source = compileSource(options["source"], scope);
    const tokenizerFor = compileTokenizer(text, options, scope);
    const group = integerOption(options, "group") ?? 0;
    const skipFirst = isOn(options, "skipFirst");
    const join = compileJoin(newLines(text), options);
    return (exchange) => convert(tokensOf(source(exchange), () => tokenizerFor(exchange), { skipFirst, maxListLength, group, joinGroup: join }));
  },
});

/** Maximum number of tokens in a list; `split` reads any number of tokens, one by one. */
const maxListLength = 500_000;

/** Camel treats the two characters `\n` at the start of a token as a line end. */
function newLines(token: string): string {
  return token.startsWith("\\n") ? `\n${token.slice(2)}` : token;
}

function compileTokenizer(text: string, options: Options, scope: LanguageScope): (exchange: Exchange) => Tokenizer {
  if (text === "") throw new CompileError("tokenize-token", "tokenize requires a token", { hint: 'write token: ","' });
  const include = isOn(options, "includeTokens");
  if (isOn(options, "xml")) {
    const name = tagName(text);
    return () => elementTokenizer(name, options["inheritNamespaceTagName"]);
  }
  const token = compileToken(text, scope);
  const endText = options["endToken"];
  if (endText !== undefined) {
    const end = compileToken(endText, scope);
    return (exchange) => pairTokenizer(token(exchange), end(exchange), include);
  }
  if (!isOn(options, "regex")) return (exchange) => separatorTokenizer(token(exchange), include);
  try {
    const pattern = compileLinearPattern(text);
    return () => patternTokenizer(pattern, include);
  } catch (cause) {
    throw new CompileError("tokenize-pattern", `the token '${text}' is not a valid pattern: ${asText(cause)}`);
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

/** Grouped elements are wrapped in an element, so that the result is well-formed XML. */
function compileJoin(token: string, options: Options): (tokens: readonly string[]) => string {
  if (isOn(options, "xml") && options["groupDelimiter"] === undefined) return (tokens) => `<group>${tokens.join("")}</group>`;
  const separator = options["groupDelimiter"] ?? (isOn(options, "includeTokens") || options["endToken"] !== undefined ? "" : token);
  return (tokens) => tokens.join(separator);
}
