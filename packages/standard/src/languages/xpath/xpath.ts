import { defineLanguage, type Expression, type LanguageScope } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { compileQuery } from "../../xml/query/compile-query.ts";
import { readNamespaces } from "../../xml/query/namespaces.ts";
import { resultConverter } from "../../xml/query/query-result.ts";
import { readXmlAhead, readXmlDocument } from "../../xml/read-xml.ts";
import { idOption, sourceOption, trimOption } from "../language-values/language-options.ts";
import { compileSource } from "../language-values/source.ts";

type Options = Readonly<Record<string, string>>;

/** XPath 3.1 over the body or another value of the message. */
export const xpath = defineLanguage({
  name: "xpath",
  costly: true,
  title: "XPath",
  summary: "Selects elements, attributes and values of XML.",
  group: "xml",
  icon: "code-xml",
  since: "0.1",
  options: {
    resultType: f.string({ doc: "Type of the result: STRING, NUMBER, BOOLEAN, NODE, NODESET, or a Java class name such as java.lang.String." }),
    resultQName: f.enum(["NODESET", "NODE", "STRING", "NUMBER", "BOOLEAN"], {
      doc: "Kind of the result; a list of nodes by default. resultType takes precedence.",
    }),
    namespace: f.list(
      f.object(
        { key: f.string({ doc: "The prefix.", required: true }), value: f.string({ doc: "URI of the namespace.", required: true }) },
        { doc: "One namespace prefix." },
      ),
      {
        doc: "Namespace prefixes that the expression uses.",
      },
    ),
    source: sourceOption,
    saxon: f.boolean({ doc: "Accepted but ignored: XPath 3.1 is always available.", group: "advanced" }),
    factoryRef: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    objectModel: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    documentType: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    logNamespaces: f.boolean({ doc: "Accepted but ignored.", group: "advanced" }),
    threadSafety: f.boolean({ doc: "Accepted but ignored: evaluations share no state.", group: "advanced" }),
    preCompile: f.boolean({ doc: "Accepted but ignored: expressions are always compiled at deploy time.", group: "advanced" }),
    trim: trimOption,
    id: idOption,
  },
  examples: [
    {
      title: "A value of an order",
      yaml: "setBody: {xpath: {expression: /order/customer/text(), resultType: java.lang.String}}",
      given: { body: "<order><customer>Ada</customer></order>" },
      expect: { body: "Ada" },
    },
    {
      title: "Counting",
      yaml: "setBody: {xpath: {expression: count(/order/line), resultQName: NUMBER}}",
      given: { body: "<order><line/><line/></order>" },
      expect: { body: 2 },
    },
  ],
  compile(text, options, scope) {
    const convert = resultConverter(options["resultQName"], options["resultType"]);
    const evaluate = evaluator(text, options, scope);
    return (exchange) => convert(evaluate(exchange, "all") as readonly unknown[]);
  },
  compilePredicate(text, options, scope) {
    const evaluate = evaluator(text, options, scope);
    return (exchange) => evaluate(exchange, "boolean") === true;
  },
});

function evaluator(text: string, options: Options, scope: LanguageScope): (exchange: Parameters<Expression>[0], returns: "all" | "boolean") => unknown {
  const source = compileSource(options["source"], scope);
  const query = compileQuery(text.trim(), "xpath", readNamespaces(options["namespace"]), scope);
  if (query.readsDocument) scope.beforeStep?.((exchange) => readXmlAhead(source(exchange), scope.host.clock));
  return (exchange, returns) => query.evaluate(query.readsDocument ? readXmlDocument(source(exchange)) : null, exchange, returns);
}
