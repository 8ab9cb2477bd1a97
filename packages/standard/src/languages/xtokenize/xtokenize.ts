import { decodeXml, defineLanguage } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { readNamespaces } from "../../xml/query/namespaces.ts";
import { idOption, resultTypeOption, sourceOption, trimOption, wholeNumber } from "../language-values/language-options.ts";
import { compileSource } from "../language-values/source.ts";
import { compileTokensType, tokensOf } from "../tokenize/token-stream.ts";
import { PathCutter, type TokenMode } from "./path-cutter.ts";
import { readPath } from "./path-steps.ts";

/** XML elements by their path, one by one: a document of any length is walked through, never built. */
export const xtokenize = defineLanguage({
  name: "xtokenize",
  title: "XML tokenize",
  summary: "Takes XML apart into the elements a path such as //orders/order leads to.",
  group: "language",
  icon: "scissors",
  since: "0.1",
  options: {
    mode: f.enum(["i", "w", "u", "t"], {
      doc: "i hands out elements that declare the namespaces they inherit, w wraps them in their ancestors, u gives their content, t their text.",
      default: "i",
    }),
    namespace: f.list(
      f.object(
        { key: f.string({ doc: "The prefix.", required: true }), value: f.string({ doc: "The namespace's URI.", required: true }) },
        { doc: "One prefix." },
      ),
      { doc: "Prefixes the path uses." },
    ),
    group: f.integer({ doc: "Hands out so many elements as one text.", min: 0 }),
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
  compile: (text, options) => {
    const path = readPath(text, readNamespaces(options["namespace"]));
    const mode = (options["mode"] ?? "i") as TokenMode;
    const source = compileSource(options["source"]);
    const convert = compileTokensType(options["resultType"]);
    const group = wholeNumber(options, "group") ?? 0;
    return (exchange) => {
      const raw = source(exchange);
      const value = raw instanceof Uint8Array ? decodeXml(raw) : raw;
      return convert(
        tokensOf(value, () => new PathCutter(path, mode), { skipFirst: false, group, joinGroup: (tokens) => `<group>${tokens.join("")}</group>` }),
      );
    };
  },
});
