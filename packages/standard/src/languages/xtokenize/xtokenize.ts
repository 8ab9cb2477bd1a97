import { defineLanguage } from "@sluice/engine/spi";
import { decodeXml } from "@sluice/engine/values";
import { f } from "@sluice/model";
import { readNamespaces } from "../../xml/query/namespaces.ts";
import { idOption, resultTypeOption, sourceOption, trimOption, integerOption } from "../language-values/language-options.ts";
import { compileSource } from "../language-values/source.ts";
import { compileTokensType, tokensOf } from "../tokenize/token-stream.ts";
import { PathTokenizer, type TokenMode } from "./path-tokenizer.ts";
import { readPath } from "./path-steps.ts";

/** XML elements by path, one at a time: the document is streamed, never built in memory. */
export const xtokenize = defineLanguage({
  name: "xtokenize",
  title: "XML tokenize",
  summary: "Splits XML into the elements that match a path such as //orders/order.",
  group: "language",
  icon: "scissors",
  since: "0.1",
  options: {
    mode: f.enum(["i", "w", "u", "t"], {
      doc: "i returns elements with their inherited namespaces declared, w wraps them in their ancestors, u returns their content, t their text.",
      default: "i",
    }),
    namespace: f.list(
      f.object(
        { key: f.string({ doc: "The prefix.", required: true }), value: f.string({ doc: "URI of the namespace.", required: true }) },
        { doc: "One namespace prefix." },
      ),
      { doc: "Namespace prefixes that the path uses." },
    ),
    group: f.integer({ doc: "Joins this many elements into one string, wrapped in a group element.", min: 0 }),
    source: sourceOption,
    resultType: resultTypeOption,
    trim: trimOption,
    id: idOption,
  },
  examples: [
    {
      title: "Each order",
      yaml: `split: {xtokenize: "//order", aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy"}`,
      given: { body: "<orders><order id='1'/><order id='2'>x</order></orders>" },
      expect: { body: ["<order id='1'/>", "<order id='2'>x</order>"] },
    },
  ],
  compile: (text, options, scope) => {
    const path = readPath(text, readNamespaces(options["namespace"]));
    const mode = (options["mode"] ?? "i") as TokenMode;
    const source = compileSource(options["source"], scope);
    const convert = compileTokensType(options["resultType"]);
    const group = integerOption(options, "group") ?? 0;
    return (exchange) => {
      const raw = source(exchange);
      const value = raw instanceof Uint8Array ? decodeXml(raw) : raw;
      return convert(
        tokensOf(value, () => new PathTokenizer(path, mode), {
          skipFirst: false,
          maxListLength: 100_000,
          group,
          joinGroup: (tokens) => `<group>${tokens.join("")}</group>`,
        }),
      );
    };
  },
});
