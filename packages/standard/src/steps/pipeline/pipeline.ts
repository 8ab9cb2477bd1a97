import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const pipeline = defineStep({
  name: "pipeline",
  title: "Pipeline",
  summary: "Groups steps that run one after the other, for example as one branch of a multicast.",
  guarantees: "The steps run one after the other on the same exchange.",
  group: "routing",
  icon: "list-ordered",
  paletteGroup: "repeat",
  since: "0.1",
  adoptsSiblings: true,
  options: { steps: f.steps({ doc: "The steps, in order.", default: [] }) },
  examples: [
    {
      title: "Two steps in sequence",
      yaml: 'pipeline: {steps: [{setBody: {simple: "${body}a"}}, {setBody: {simple: "${body}b"}}]}',
      given: { body: "-" },
      expect: { body: "-ab" },
    },
  ],
  compile({ steps }, compiler) {
    return compiler.steps(steps);
  },
});
