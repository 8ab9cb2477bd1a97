import { asText, CompileError, copyExchange, defineStep, FlowError, type Exchange } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { strategyFields, strategyOf } from "../strategy-option.ts";
import { completionCheck } from "./completion-check.ts";
import { completionFields } from "./completion-fields.ts";
import { Groups } from "./groups.ts";

/** Collects messages that belong together; the sender's message passes on at once, the finished group runs the inner steps on its own. */
export const aggregate = defineStep({
  name: "aggregate",
  title: "Aggregate",
  summary: "Collects messages that belong together and goes on with each finished group.",
  group: "splitting",
  icon: "combine",
  since: "0.1",
  keepsState: true,
  adoptsSiblings: true,
  options: {
    correlationExpression: f.expression({ doc: "Messages with the same value belong together.", required: true }),
    ...strategyFields,
    ...completionFields,
    steps: f.steps({ doc: "Steps for a finished group.", default: [] }),
  },
  examples: [
    {
      title: "Pairs",
      yaml: `aggregate: {correlationExpression: {constant: all}, completionSize: 2, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{to: "mock:pair"}]}`,
      given: { body: "a" },
      expect: { body: "a" },
    },
  ],
  compile({ correlationExpression, steps, ...options }, compiler) {
    const strategy = strategyOf(options, compiler);
    if (strategy === undefined)
      throw new CompileError("option-missing", "aggregate needs an aggregationStrategy", {
        hint: "add aggregationStrategy, such as #class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy",
      });
    const check = completionCheck(options, compiler);
    const keyOf = compiler.expression(correlationExpression);
    const run = compiler.steps(steps);
    const groups = compiler.tasks.state(
      "groups",
      () => new Groups({ ...options, strategy, check, host: compiler.host, routeId: compiler.route.id, release: (group) => compiler.tasks.detach(group, run) }),
    );
    return (exchange) => {
      if (takesFlag(exchange, "CamelAggregationCompleteAllGroups")) {
        groups.completeAll("force", exchange);
        return;
      }
      const key = asText(keyOf(exchange));
      if (key === "") {
        if (options.ignoreInvalidCorrelationKeys) return;
        throw new FlowError("org.apache.camel.CamelExchangeException", "Invalid correlation key", { code: "correlation-key-invalid" });
      }
      const inclusive = takesFlag(exchange, "CamelAggregationCompleteAllGroupsInclusive");
      groups.add(key, copyExchange(exchange, compiler.host.ids));
      if (inclusive) groups.completeAll("force", exchange);
    };
  },
});

/** A header of the route's own that steers the aggregate; it is used up. What came over the wire never steers. */
function takesFlag(exchange: Exchange, name: string): boolean {
  const value = exchange.message.headers.getOwn(name);
  if (value !== true && asText(value).toLowerCase() !== "true") return false;
  exchange.message.headers.delete(name);
  return true;
}
