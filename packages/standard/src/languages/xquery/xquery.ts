import { defineLanguage } from "@sluice/engine/spi";
import { compileQuery } from "../../xml/query/compile-query.ts";
import { readNamespaces } from "../../xml/query/namespaces.ts";
import { resultConverter } from "../../xml/query/query-result.ts";
import { readXml, readXmlAhead } from "../../xml/read-xml.ts";
import { f } from "@sluice/model";
import { idOption, sourceOption, trimOption } from "../language-values/language-options.ts";
import { compileSource } from "../language-values/source.ts";

/** XQuery 3.1 for the body or another value of the message; it can read nothing else. */
export const xquery = defineLanguage({
  name: "xquery",
  costly: true,
  title: "XQuery",
  summary: "Creates XML from the message.",
  group: "xml",
  icon: "code-xml",
  since: "0.1",
  options: {
    resultType: f.string({ doc: "Type of the result: STRING, NUMBER, BOOLEAN, NODE, NODESET, or a Java class name such as java.lang.String." }),
    namespace: f.list(
      f.object(
        { key: f.string({ doc: "The prefix.", required: true }), value: f.string({ doc: "URI of the namespace.", required: true }) },
        { doc: "One namespace prefix." },
      ),
      {
        doc: "Namespace prefixes that the query uses.",
      },
    ),
    configurationRef: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
    source: sourceOption,
    trim: trimOption,
    id: idOption,
  },
  examples: [
    {
      title: "Convert XML to a different structure",
      yaml: "setBody: {xquery: {expression: '<names>{for $p in /people/person return <n>{data($p/@name)}</n>}</names>', resultType: java.lang.String}}",
      given: { body: '<people><person name="Ada"/></people>' },
      expect: { body: "<names><n>Ada</n></names>" },
    },
  ],
  compile(text, options, scope) {
    const source = compileSource(options["source"], scope);
    const query = compileQuery(text.trim(), "xquery", readNamespaces(options["namespace"]), scope);
    if (query.readsDocument) scope.beforeStep?.((exchange) => readXmlAhead(source(exchange), scope.host.clock));
    const asString = /(^|\.)string$/i.test((options["resultType"] ?? "").trim());
    const convert = asString ? (items: readonly unknown[]) => items.map(String).join("") : resultConverter(undefined, options["resultType"]);
    return (exchange) => convert(query.evaluate(query.readsDocument ? readXml(source(exchange)) : null, exchange, "all") as readonly unknown[]);
  },
});
