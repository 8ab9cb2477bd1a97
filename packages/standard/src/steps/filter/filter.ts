import { defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";

/** Runs the inner steps only for messages that match. Not matching is no error: the exchange simply goes on. */
export const filter = defineStep({
  name: "filter",
  title: "Filter",
  summary: "Runs its steps only for messages that match.",
  group: "routing",
  icon: "filter",
  since: "0.1",
  adoptsSiblings: true,
  options: {
    expression: f.expression({ doc: "What a message must satisfy.", required: true, inline: true }),
    steps: f.steps({ doc: "Steps for the messages that match.", default: [] }),
    statusPropertyName: f.string({
      doc: "Exchange property that keeps whether the message matched.",
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
    // Only what sends is worth telling of: an optional block at the end does not make the run one that did nothing.
    const sends = holdsEndpoint(steps);
    return (exchange) => {
      const matched = matches(exchange);
      if (statusPropertyName !== undefined) exchange.setProperty(statusPropertyName, matched);
      if (matched) return inner(exchange);
      if (sends) exchange.passOver();
      return undefined;
    };
  },
});

function holdsEndpoint(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return "uri" in part || Object.values(part).some(holdsEndpoint);
}
