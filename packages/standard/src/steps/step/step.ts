import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const step = defineStep({
  name: "step",
  title: "Step",
  summary: "Groups steps under one id without changing what they do.",
  group: "routing",
  icon: "group",
  since: "0.1",
  adoptsSiblings: true,
  options: { steps: f.steps({ doc: "The steps, in order.", default: [] }) },
  examples: [
    {
      title: "A named group",
      yaml: "step: {id: prepare, steps: [{setBody: {constant: ready}}]}",
      expect: { body: "ready" },
    },
  ],
  compile({ steps }, compiler) {
    return compiler.steps(steps);
  },
});
