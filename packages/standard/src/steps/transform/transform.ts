import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { setsOneValue } from "../step-guarantees.ts";

export const transform = defineStep({
  name: "transform",
  title: "Transform",
  summary: "Replaces the body with the value of an expression.",
  guarantees: setsOneValue,
  group: "message",
  icon: "replace",
  paletteGroup: "data",
  card: { subtitle: "{expression}" },
  since: "0.1",
  keywords: ["map", "convert"],
  options: { expression: f.expression({ doc: "The new body.", required: true, inline: true }) },
  examples: [
    {
      title: "Wrap the body",
      yaml: 'transform: {simple: "<${body}>"}',
      given: { body: "x" },
      expect: { body: "<x>" },
    },
  ],
  compile({ expression }, compiler) {
    const value = compiler.expression(expression);
    return (exchange) => {
      exchange.message.body = value(exchange);
    };
  },
});
