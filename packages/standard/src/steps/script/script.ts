import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const script = defineStep({
  name: "script",
  title: "Script",
  summary: "Evaluates an expression and discards its value; the message does not change.",
  group: "message",
  icon: "terminal",
  since: "0.1",
  options: { expression: f.expression({ doc: "The expression to evaluate.", required: true, inline: true }) },
  examples: [
    {
      title: "Nothing changes",
      yaml: 'script: {simple: "${body} and more"}',
      given: { body: "a" },
      expect: { body: "a" },
    },
  ],
  compile({ expression }, compiler) {
    const value = compiler.expression(expression);
    return (exchange) => {
      value(exchange);
    };
  },
});
