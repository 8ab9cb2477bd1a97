import { defineStep, type Processor } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { callsFunction } from "../step-guarantees.ts";

/** Calls a function that the operator registered. */
export const process = defineStep({
  name: "process",
  title: "Process",
  summary: "Calls a function that the operator registered with the runtime.",
  guarantees: callsFunction,
  group: "message",
  icon: "function-square",
  paletteGroup: "code",
  card: { title: "Run {ref}" },
  since: "0.1",
  options: { ref: f.string({ doc: "Name of the function.", required: true }) },
  examples: [
    {
      title: "An operator function `stamp` that sets a header",
      yaml: "process: {ref: stamp}",
      given: { body: "order" },
      expect: { body: "order", headers: { stamped: "yes" } },
    },
  ],
  compile({ ref }, compiler) {
    const run = compiler.registry.bean(ref, "function") as Processor;
    return (exchange) => {
      exchange.unshareProperties();
      return run(exchange);
    };
  },
});
