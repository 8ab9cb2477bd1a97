import { CompileError, defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { useOriginalStrategy } from "../../beans/use-original.ts";
import { fanOut } from "../fan-out.ts";
import { fanOutFields, rejectUnusedTimeout } from "../fan-out-fields.ts";
import { countedItems, inGroups } from "../items.ts";
import { strategyOf } from "../strategy-option.ts";
import { failureLimit } from "./failure-limit.ts";
import { splitParts } from "./split-parts.ts";

/** Splits a message and runs the nested steps for each part. Failures of parts are handled by the split. */
export const split = defineStep({
  name: "split",
  title: "Split",
  summary: "Splits the message and runs its steps for each part.",
  guarantees:
    "Without parallelProcessing, parts run one after the other, in order. With it, up to ten run concurrently; results are still merged in order unless streaming is set. Parts are created when they are needed, so a stream of any length uses constant memory unless the strategy collects the results. There is no transaction across parts: when one fails, the work of the others is not undone. A failed part does not stop the others unless stopOnException or a failure limit is set.",
  group: "splitting",
  icon: "split",
  paletteGroup: "repeat",
  card: { title: "For each item", subtitle: "{expression}" },
  since: "0.1",
  keywords: ["loop", "for", "each", "iterate", "parallel"],
  adoptsSiblings: true,
  stepsTitle: "For each part",
  options: {
    expression: f.expression({ doc: "The value to split: a list, an iterator or text.", required: true, inline: true }),
    delimiter: f.text({ doc: "Delimiter for text; `false` does not split text, `single` treats any value as one part.", default: "," }),
    steps: f.steps({ doc: "Steps for each part.", default: [] }),
    ...fanOutFields,
    resumeStrategy: f.unsupported("resumeStrategy refers to a Java object; use idempotentConsumer to skip parts that were already processed"),
    watermarkExpression: f.unsupported("watermarks need a resume strategy; use idempotentConsumer to skip parts that were already processed"),
    watermarkKey: f.unsupported("watermarks need a resume strategy; use idempotentConsumer to skip parts that were already processed"),
    group: f.integer({ doc: "Groups this many parts into one list; 0 does not group.", default: 0, min: 0 }),
    maxFailedRecords: f.integer({
      doc: "Stops the split when this many parts have failed; with fewer failures it succeeds. 0 for no limit.",
      default: 0,
      min: 0,
      group: "advanced",
    }),
    errorThreshold: f.number({
      doc: "Stops the split when this fraction of the processed parts has failed, between 0 and 1; 0 for no limit.",
      default: 0,
      min: 0,
      max: 1,
      group: "advanced",
    }),
  },
  examples: [
    {
      title: "Split at spaces",
      yaml: `split: {simple: "\${body}", delimiter: " ", aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{setBody: {simple: "\${body}!"}}]}`,
      given: { body: "to be" },
      expect: { body: ["to!", "be!"] },
    },
  ],
  compile({ expression, delimiter, steps, group, maxFailedRecords, errorThreshold, ...options }, compiler) {
    rejectUnusedTimeout(options);
    if (options.stopOnException && (maxFailedRecords > 0 || errorThreshold > 0))
      throw new CompileError("option-conflict", "stopOnException cannot be used with maxFailedRecords or errorThreshold", {
        hint: "keep one of them",
        option: maxFailedRecords > 0 ? "maxFailedRecords" : "errorThreshold",
      });
    const value = compiler.expression(expression);
    const run = compiler.steps(steps);
    const strategy = strategyOf(options, compiler) ?? useOriginalStrategy(true);
    const { host } = compiler;
    const isLimited = maxFailedRecords > 0 || errorThreshold > 0;
    const settings = { ...options, strategy, host };
    return (exchange) => {
      const items = countedItems(value(exchange), delimiter);
      const parts = splitParts(exchange, group > 0 ? inGroups(items, group) : items, {
        run,
        host,
        streaming: options.streaming,
        shareUnitOfWork: options.shareUnitOfWork,
      });
      return fanOut(exchange, parts, isLimited ? { ...settings, tolerate: failureLimit(maxFailedRecords, errorThreshold) } : settings);
    };
  },
});
