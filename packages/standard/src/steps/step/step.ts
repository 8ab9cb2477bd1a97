import { defineStep, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { settle } from "../settle.ts";

const idProperty = "CamelStepId";

export const step = defineStep({
  name: "step",
  title: "Step",
  summary: "Groups steps under one id, available inside as `${stepId}`.",
  guarantees: "The steps run one after the other on the same exchange.",
  group: "routing",
  icon: "group",
  paletteGroup: "repeat",
  since: "0.1",
  adoptsSiblings: true,
  options: { steps: f.steps({ doc: "The steps, in order.", default: [] }) },
  examples: [
    {
      title: "A named group",
      yaml: 'step: {id: prepare, steps: [{setBody: {simple: "${stepId} is ready"}}]}',
      expect: { body: "prepare is ready" },
    },
  ],
  compile({ steps }, compiler, node) {
    const run = compiler.steps(steps);
    return (exchange) => {
      const outer = exchange.property(idProperty);
      exchange.setProperty(idProperty, node.id);
      return settle(
        () => run(exchange),
        () => restore(exchange, outer),
        (error) => {
          restore(exchange, outer);
          throw error;
        },
      );
    };
  },
});

function restore(exchange: Exchange, outer: unknown): void {
  if (outer === undefined) exchange.removeProperty(idProperty);
  else exchange.setProperty(idProperty, outer);
}
