import { CompileError, defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { useOriginalStrategy } from "../../beans/use-original.ts";
import { fanOut } from "../fan-out.ts";
import { fanOutFields, refuseIdleTimeout } from "../fan-out-fields.ts";
import { countedItems, inGroups } from "../items.ts";
import { strategyOf } from "../strategy-option.ts";
import { failureLimit } from "./failure-limit.ts";
import { splitParts } from "./split-parts.ts";

/** Takes a message apart and runs the inner steps for every part. Failures of parts are the split's own business. */
export const split = defineStep({
  name: "split",
  title: "Split",
  summary: "Takes the message apart and runs its steps for each part.",
  group: "splitting",
  icon: "split",
  since: "0.1",
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "What to take apart: a list, an iterator, or text.", required: true, inline: true }),
    delimiter: f.text({ doc: "Where text is cut; `false` never cuts text, `single` takes any value as one part.", default: "," }),
    steps: f.steps({ doc: "Steps for each part.", default: [] }),
    ...fanOutFields,
    group: f.integer({ doc: "Hands out lists of so many parts.", default: 0, min: 0 }),
    maxFailedRecords: f.integer({
      doc: "Gives up at this many failed parts; with fewer the split succeeds. 0 has no such limit.",
      default: 0,
      min: 0,
      group: "advanced",
    }),
    errorThreshold: f.number({
      doc: "Gives up when this share of the parts so far has failed, between 0 and 1; 0 has no such limit.",
      default: 0,
      min: 0,
      max: 1,
      group: "advanced",
    }),
  },
  examples: [
    {
      title: "Shout each word",
      yaml: `split: {simple: "\${body}", delimiter: " ", aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{setBody: {simple: "\${body}!"}}]}`,
      given: { body: "to be" },
      expect: { body: ["to!", "be!"] },
    },
  ],
  compile({ expression, delimiter, steps, group, maxFailedRecords, errorThreshold, ...options }, compiler) {
    refuseIdleTimeout(options);
    if (options.stopOnException && (maxFailedRecords > 0 || errorThreshold > 0))
      throw new CompileError("option-conflict", "stopOnException cannot be combined with maxFailedRecords or errorThreshold", {
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
