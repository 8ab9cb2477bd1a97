import { defineStep, FlowError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { failsExchange } from "../step-guarantees.ts";

export const validate = defineStep({
  name: "validate",
  title: "Validate",
  summary: "Fails the exchange if a condition is false.",
  guarantees: failsExchange,
  group: "errors",
  icon: "badge-check",
  paletteGroup: "decide",
  card: { title: "Check", subtitle: "{expression}" },
  since: "0.1",
  keywords: ["check", "assert"],
  options: {
    expression: f.expression({ doc: "The condition.", required: true, inline: true }),
    predicateExceptionFactory: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
  },
  examples: [
    {
      title: "Digits only",
      yaml: `validate: {simple: "\${body} regex '[0-9]+'"}`,
      given: { body: "12" },
      expect: { body: "12" },
    },
    {
      title: "Other messages fail",
      yaml: `validate: {simple: "\${body} regex '[0-9]+'"}`,
      given: { body: "ab" },
      expect: { error: "Validation failed" },
    },
  ],
  compile({ expression }, compiler) {
    const holds = compiler.predicate(expression);
    const text = `Validation failed for Predicate[${expression.text}]`;
    return (exchange) => {
      if (!holds(exchange)) throw new FlowError("org.apache.camel.support.processor.PredicateValidationException", text, { code: "validation-failed" });
    };
  },
});
