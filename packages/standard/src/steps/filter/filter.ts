import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Runs the nested steps only for matching messages; others continue after the filter. */
export const filter = defineStep({
  name: "filter",
  title: "Filter",
  summary: "Runs its steps only for messages that match a condition.",
  guarantees:
    "Messages that do not match continue after the filter; they are not failures. The steps run on the same exchange, so the order of messages does not change.",
  group: "routing",
  icon: "filter",
  paletteGroup: "decide",
  card: { title: "Only if", subtitle: "{expression}" },
  since: "0.1",
  keywords: ["if", "condition", "only"],
  maySkipSteps: true,
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "The condition.", required: true, inline: true }),
    steps: f.steps({ doc: "Steps for the messages that match.", default: [] }),
    statusPropertyName: f.string({
      doc: "Exchange property that stores whether the message matched.",
      group: "advanced",
    }),
  },
  examples: [
    {
      title: "Gold customers only",
      yaml: `filter: {simple: "\${header.tier} == 'gold'", steps: [{setBody: {constant: vip}}]}`,
      given: { headers: { tier: "gold" } },
      expect: { body: "vip" },
    },
  ],
  compile({ expression, steps, statusPropertyName }, compiler) {
    const matches = compiler.predicate(expression);
    const inner = compiler.steps(steps);
    // Mark the run as discarded only if the skipped block would have sent something.
    const sends = containsEndpoint(steps);
    return (exchange) => {
      const matched = matches(exchange);
      if (statusPropertyName !== undefined) exchange.setProperty(statusPropertyName, matched);
      if (matched) return inner(exchange);
      if (sends) exchange.discard();
      return undefined;
    };
  },
});

function containsEndpoint(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return "uri" in part || Object.values(part).some(containsEndpoint);
}
