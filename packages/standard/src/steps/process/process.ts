import { defineStep, type Processor } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Calls a function the operator of this runtime has registered. */
export const process = defineStep({
  name: "process",
  title: "Process",
  summary: "Calls a function that the operator registered with the runtime.",
  group: "message",
  icon: "function-square",
  since: "0.1",
  options: { ref: f.string({ doc: "Name of the function.", required: true }) },
  examples: [],
  compile({ ref }, compiler) {
    const run = compiler.registry.bean(ref, "function") as Processor;
    return (exchange) => run(exchange);
  },
});
