import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";

export const script = defineStep({
  name: "script",
  title: "Script",
  summary: "Evaluates an expression and discards its value; the message changes only if the expression sets parts of it, as groovy scripts can.",
  guarantees:
    "The expression is evaluated once per message, on the main thread (js: in a separate thread) and within the limits for expressions. Its value is discarded; if the expression fails, the error handler of the route is called. Outside the message, an expression can only set variables and call functions that the operator has registered.",
  group: "message",
  icon: "terminal",
  paletteGroup: "code",
  card: { title: "Run {language}", subtitle: "{expression}" },
  since: "0.1",
  options: { expression: f.expression({ doc: "The expression to evaluate.", required: true, inline: true }) },
  examples: [
    {
      title: "The message is unchanged",
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
