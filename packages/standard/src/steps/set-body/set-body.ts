import { defineStep } from "@sluice/engine/spi";
import { constantOf } from "@sluice/engine/tools";
import { f } from "@sluice/model";
import { setsOneValue } from "../step-guarantees.ts";

export const setBody = defineStep({
  name: "setBody",
  title: "Set body",
  summary: "Replaces the message body; headers do not change.",
  guarantees: setsOneValue,
  group: "message",
  icon: "square-pen",
  paletteGroup: "data",
  card: { subtitle: "{expression}" },
  since: "0.1",
  keywords: ["map", "convert"],
  options: { expression: f.expression({ doc: "The new body.", required: true, inline: true }) },
  examples: [
    {
      title: "A greeting",
      yaml: 'setBody: {simple: "Hello ${body}"}',
      given: { body: "Ada" },
      expect: { body: "Hello Ada" },
    },
  ],
  compile({ expression }, compiler) {
    const value = compiler.expression(expression);
    const constant = constantOf(value);
    if (constant !== undefined) {
      const body = constant.value;
      return (exchange) => {
        exchange.message.body = body;
      };
    }
    return (exchange) => {
      exchange.message.body = value(exchange);
    };
  },
});
