import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { useLatestStrategy } from "../../beans/use-latest.ts";
import { branchesOf } from "../branches.ts";
import { fanOut } from "../fan-out.ts";
import { fanOutFields, rejectUnusedTimeout } from "../fan-out-fields.ts";
import { strategyOf } from "../strategy-option.ts";

/** Sends a copy of the message to each of its child steps. */
export const multicast = defineStep({
  name: "multicast",
  title: "Multicast",
  summary: "Sends a copy of the message to each child step; by default the last result continues.",
  guarantees:
    "Each branch gets its own copy. Without parallelProcessing, branches run one after the other, in the order they are written. With it, up to ten run concurrently; results are still merged in order unless streaming is set. A failed branch does not stop the others unless stopOnException is set. Sequential branches take part in a transaction of the route; parallel ones do not.",
  group: "splitting",
  icon: "network",
  paletteGroup: "repeat",
  card: { title: "Send to all" },
  since: "0.1",
  keywords: ["parallel", "fork", "fan-out", "scatter"],
  adoptsSiblings: true,
  lanes: "all",
  options: {
    steps: f.steps({ doc: "The branches: each direct child is one branch; group several steps with pipeline.", default: [] }),
    ...fanOutFields,
  },
  examples: [
    {
      title: "Two branches",
      yaml: `multicast: {aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{setBody: {simple: "\${body}?"}}, {setBody: {simple: "\${body}!"}}]}`,
      given: { body: "so" },
      expect: { body: ["so?", "so!"] },
    },
  ],
  compile({ steps, ...options }, compiler) {
    rejectUnusedTimeout(options);
    const { host } = compiler;
    const runs = steps.map((node) => compiler.steps([node]));
    const settings = { ...options, strategy: strategyOf(options, compiler) ?? useLatestStrategy, host };
    return (exchange) => fanOut(exchange, branchesOf(exchange, runs.values(), host, options.shareUnitOfWork), settings);
  },
});
