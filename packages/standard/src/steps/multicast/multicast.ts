import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { useLatestStrategy } from "../../beans/use-latest.ts";
import { branchesOf } from "../branches.ts";
import { fanOut } from "../fan-out.ts";
import { fanOutFields, refuseIdleTimeout } from "../fan-out-fields.ts";
import { strategyOf } from "../strategy-option.ts";

/** Gives a copy of the message to each of its child steps. */
export const multicast = defineStep({
  name: "multicast",
  title: "Multicast",
  summary: "Gives a copy of the message to each child step; the last result goes on.",
  group: "splitting",
  icon: "network",
  since: "0.1",
  adoptsSiblings: true,
  options: {
    steps: f.steps({ doc: "The branches: each direct child is one; group several steps with pipeline.", default: [] }),
    ...fanOutFields,
  },
  examples: [
    {
      title: "Two opinions",
      yaml: `multicast: {aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{setBody: {simple: "\${body}?"}}, {setBody: {simple: "\${body}!"}}]}`,
      given: { body: "so" },
      expect: { body: ["so?", "so!"] },
    },
  ],
  compile({ steps, ...options }, compiler) {
    refuseIdleTimeout(options);
    const { host } = compiler;
    const runs = steps.map((node) => compiler.steps([node]));
    const settings = { ...options, strategy: strategyOf(options, compiler) ?? useLatestStrategy, host };
    return (exchange) => fanOut(exchange, branchesOf(exchange, runs.values(), host, options.shareUnitOfWork), settings);
  },
});
