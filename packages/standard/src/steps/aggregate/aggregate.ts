import { CompileError, defineStep, FlowError, type Compiler, type Exchange } from "@sluice/engine/spi";
import { copyExchange, type AggregationRepository } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f, type ExpressionNode } from "@sluice/model";
import { after } from "../settle.ts";
import { strategyFields, strategyOf } from "../strategy-option.ts";
import { completionCheck } from "./completion-check.ts";
import { completionFields } from "./completion-fields.ts";
import { Groups, type GroupOptions } from "./groups.ts";
import { StoredGroups } from "./stored-groups.ts";

const lockRetryFields = {
  id: f.string({ doc: "Name of this policy, for tools." }),
  maximumRetries: f.integer({ doc: "Accepted but ignored." }),
  retryDelay: f.duration({ doc: "Accepted but ignored." }),
  maximumRetryDelay: f.duration({ doc: "Accepted but ignored." }),
  exponentialBackOff: f.boolean({ doc: "Accepted but ignored." }),
  randomBackOff: f.boolean({ doc: "Accepted but ignored." }),
};

/** Collects related messages. The added message continues immediately; the completed group runs the nested steps as a separate run. */
export const aggregate = defineStep({
  name: "aggregate",
  title: "Aggregate",
  summary: "Collects related messages and processes each completed group as one message.",
  guarantees:
    "The message that is added continues immediately with the step after the aggregate; the completed group runs the nested steps as a separate run. Messages are merged in the order they arrive. Without a repository, open groups are stored in memory and are lost on a restart; use forceCompletionOnStop to complete them when the flow stops. With a repository in a database, the message that is added continues when its group is stored: groups survive a restart, and a completed group is removed when its run has succeeded, so after a crash it runs again. In memory, at most 50,000 groups, 100,000 messages per group and 128 MB are stored: above a limit the oldest group is completed early and a warning is logged. With several workers, the route runs in one of them.",
  group: "splitting",
  icon: "combine",
  paletteGroup: "repeat",
  card: { title: "Collect", subtitle: "by {correlationExpression}" },
  since: "0.1",
  keywords: ["merge", "join", "collect", "batch"],
  stateScope: "one",
  adoptsSiblings: true,
  options: {
    correlationExpression: f.expression({ doc: "Messages with the same value belong to the same group.", required: true }),
    ...strategyFields,
    ...completionFields,
    aggregationRepository: f.string({
      doc: "Where open groups are stored: the name of a bean, or #class:<type>; in memory by default.",
      group: "advanced",
    }),
    optimisticLockingSyncRetry: f.boolean({
      doc: "Accepted but ignored: a merge that conflicts with another one is always repeated.",
      default: false,
      group: "advanced",
    }),
    optimisticLockRetryPolicy: f.object(lockRetryFields, {
      doc: "Accepted but ignored: a merge that conflicts with another one is always repeated.",
      group: "advanced",
    }),
    aggregateController: f.unsupported(
      "aggregateController refers to a Java object; complete groups with completionPredicate or the header CamelAggregationCompleteAllGroups",
    ),
    steps: f.steps({ doc: "Steps for a completed group.", default: [] }),
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
    const { host, route, tasks } = compiler;
    const groupOptions: GroupOptions = { ...options, strategy, check, host, routeId: route.id, release: (group) => tasks.detach(group, run) };
    const inMemory = tasks.state("groups", () => new Groups(groupOptions));
    const repository = repositoryOf(options.aggregationRepository, compiler);
    const stored = repository === undefined ? undefined : storedGroups(repository, groupOptions, compiler, correlationExpression.span);
    const completeAll = (exchange: Exchange) =>
      stored === undefined || exchange.run.session !== undefined ? inMemory.completeAll("force", exchange) : stored.completeAll("force");
    return (exchange) => {
      // Messages of test sessions must not join stored groups, which contain live messages.
      const groups = exchange.run.session === undefined ? (stored ?? inMemory) : inMemory;
      if (takesFlag(exchange, "CamelAggregationCompleteAllGroups")) {
        return completeAll(exchange);
      }
      const key = asText(keyOf(exchange));
      if (key === "") {
        if (options.ignoreInvalidCorrelationKeys) return undefined;
        throw new FlowError("org.apache.camel.CamelExchangeException", "Invalid correlation key", { code: "correlation-key-invalid" });
      }
      const inclusive = takesFlag(exchange, "CamelAggregationCompleteAllGroupsInclusive");
      const added = groups.add(key, copyExchange(exchange, compiler.host.ids));
      return inclusive ? after(added, () => completeAll(exchange)) : added;
    };
  },
});

/** The repository outside the process; undefined when groups are kept in memory. */
function repositoryOf(reference: string | undefined, { registry }: Compiler): AggregationRepository | undefined {
  const bean = reference === undefined ? {} : (registry.bean(reference, "aggregation-repository") as object);
  return "put" in bean ? (bean as AggregationRepository) : undefined;
}

function storedGroups(repository: AggregationRepository, options: GroupOptions, { endpoints, tasks }: Compiler, span: ExpressionNode["span"]): StoredGroups {
  const uri = repository.recovery?.deadLetterUri;
  const outlet = uri === undefined ? undefined : endpoints.to({ uri, parameters: {}, span });
  const deadLetter = outlet === undefined ? undefined : (exchange: Exchange) => outlet.send(exchange);
  return tasks.state("stored-groups", () => new StoredGroups({ ...options, repository, deadLetter, restore: (message) => tasks.restore(message) }));
}

/** Reads and removes a control header. Only headers set by the route count, never those received from outside. */
function takesFlag(exchange: Exchange, name: string): boolean {
  const value = exchange.message.headers.getOwn(name);
  if (value !== true && asText(value).toLowerCase() !== "true") return false;
  exchange.message.headers.delete(name);
  return true;
}
