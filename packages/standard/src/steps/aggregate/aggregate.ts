import { CompileError, defineStep, FlowError, type Awaitable, type Compiler, type Exchange } from "@sluice/engine/spi";
import { copyExchange, type AggregationRepository, type SharedAggregation } from "@sluice/engine/tools";
import { asText } from "@sluice/engine/values";
import { f, type ExpressionNode, type StepNode } from "@sluice/model";
import { after } from "../settle.ts";
import { strategyFields, strategyOf } from "../strategy-option.ts";
import { completionCheck } from "./completion-check.ts";
import { completionFields } from "./completion-fields.ts";
import { Groups, type GroupOptions } from "./groups.ts";
import { SharedGroups, type SharedGroupOptions } from "./shared-groups.ts";
import { StoredGroups } from "./stored-groups.ts";

const lockRetryFields = {
  id: f.string({ doc: "Name of this policy, for tools." }),
  maximumRetries: f.integer({ doc: "Accepted but ignored." }),
  retryDelay: f.duration({ doc: "Accepted but ignored." }),
  maximumRetryDelay: f.duration({ doc: "Accepted but ignored." }),
  exponentialBackOff: f.boolean({ doc: "Accepted but ignored." }),
  randomBackOff: f.boolean({ doc: "Accepted but ignored." }),
};

/** Collects related messages. An added message continues immediately; a completed group runs the nested steps as a separate run. */
export const aggregate = defineStep({
  name: "aggregate",
  title: "Aggregate",
  summary: "Collects related messages and processes each completed group as one message.",
  guarantees:
    "An added message continues immediately with the step after the aggregate; a completed group runs the nested steps as a separate run. Messages are merged in the order they arrive. Without a repository, open groups are stored in memory and are lost on a restart; use forceCompletionOnStop to complete them when the flow stops. With a repository in a database, an added message continues when its group is stored: groups survive a restart, and a completed group is removed when its run succeeds, so it runs again after a crash. In memory, at most 50,000 groups, 100,000 messages per group and 128 MB are stored: above a limit, the oldest group is completed early and a warning is logged. With several workers, the route runs in one of them. In a cluster without a repository, every node adds messages to the store of the cluster, and an added message continues when it is stored. One node at a time merges the messages, in the order in which the store received them. If that node fails, another node takes over the messages of all open groups: timeouts start again, and a group that was being processed runs again with the same messages and the header CamelRedelivered. In a cluster, a failed merge is reported as a separate run, and the open groups of one step can have at most 9,000 messages in total.",
  group: "splitting",
  icon: "combine",
  paletteGroup: "repeat",
  card: { title: "Collect", subtitle: "by {correlationExpression}" },
  since: "0.1",
  keywords: ["merge", "join", "collect", "batch"],
  stateScope: ({ aggregationRepository }) => (isInMemory(aggregationRepository) ? "shared" : "one"),
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
    steps: f.steps({ doc: "Steps that process a completed group.", default: [] }),
  },
  examples: [
    {
      title: "Pairs",
      yaml: `aggregate: {correlationExpression: {constant: all}, completionSize: 2, aggregationStrategy: "#class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy", steps: [{to: "mock:pair"}]}`,
      given: { body: "a" },
      expect: { body: "a" },
    },
  ],
  compile({ correlationExpression, steps, ...options }, compiler, node) {
    const strategy = strategyOf(options, compiler);
    if (strategy === undefined)
      throw new CompileError("option-missing", "aggregate needs an aggregationStrategy", {
        hint: "add aggregationStrategy, such as #class:org.apache.camel.processor.aggregate.GroupedBodyAggregationStrategy",
      });
    const check = completionCheck(options, compiler);
    const keyOf = compiler.expression(correlationExpression);
    const run = compiler.steps(steps);
    const { host, route, registry, tasks } = compiler;
    const groupOptions: GroupOptions = { ...options, strategy, check, host, routeId: route.id, release: (group) => tasks.detach(group, run) };
    const localGroups = tasks.state("groups", () => new Groups(groupOptions));
    const repository = registry.bean(options.aggregationRepository ?? memoryRepository, "aggregation-repository") as object;
    const externalGroups = openExternalGroups(repository, groupOptions, compiler, { node, span: correlationExpression.span });
    // Messages of test sessions must not join groups outside this process, which contain live messages.
    const groupsOf = ({ run: { session } }: Exchange): AnyGroups => (session === undefined ? (externalGroups ?? localGroups) : localGroups);
    const completeAll = (exchange: Exchange): Awaitable => groupsOf(exchange).completeAll("force", exchange);
    return (exchange) => {
      const groups = groupsOf(exchange);
      if (consumeFlag(exchange, "CamelAggregationCompleteAllGroups")) {
        return completeAll(exchange);
      }
      const key = asText(keyOf(exchange));
      if (key === "") {
        if (options.ignoreInvalidCorrelationKeys) return undefined;
        throw new FlowError("org.apache.camel.CamelExchangeException", "Invalid correlation key", { code: "correlation-key-invalid" });
      }
      const inclusive = consumeFlag(exchange, "CamelAggregationCompleteAllGroupsInclusive");
      const added = groups.add(key, copyExchange(exchange, compiler.host.ids));
      return inclusive ? after(added, () => completeAll(exchange)) : added;
    };
  },
});

interface AnyGroups {
  add(key: string, message: Exchange): Awaitable;
  completeAll(by: "force", message: Exchange): Awaitable;
}

const memoryRepository = "#class:org.apache.camel.processor.aggregate.MemoryAggregationRepository";

const isInMemory = (reference: string | undefined): boolean => reference === undefined || /[.:]MemoryAggregationRepository(?:\(.*\))?$/.test(reference);

/** Groups whose state is outside the process; undefined when the repository is the memory of the process. */
function openExternalGroups(repository: object, options: GroupOptions, compiler: Compiler, at: StepPosition): AnyGroups | undefined {
  if ("put" in repository) return storedGroups(repository as AggregationRepository, options, compiler, at.span);
  if (!("share" in repository)) return undefined;
  const { route, tasks } = compiler;
  const sharedOptions: SharedGroupOptions = {
    ...options,
    aggregation: repository as SharedAggregation,
    step: { flowId: route.flowId, routeId: route.id, stepId: at.node.id },
    restore: (message) => tasks.restore(message),
    fail: (exchange, error) =>
      tasks.detach(exchange, () => {
        throw error;
      }),
  };
  return tasks.state("shared-groups", () => new SharedGroups(sharedOptions));
}

interface StepPosition {
  readonly node: StepNode;
  readonly span: ExpressionNode["span"];
}

function storedGroups(repository: AggregationRepository, options: GroupOptions, { endpoints, tasks }: Compiler, span: StepPosition["span"]): StoredGroups {
  const uri = repository.recovery?.deadLetterUri;
  const outlet = uri === undefined ? undefined : endpoints.to({ uri, parameters: {}, span });
  const deadLetter = outlet === undefined ? undefined : (exchange: Exchange) => outlet.send(exchange);
  return tasks.state("stored-groups", () => new StoredGroups({ ...options, repository, deadLetter, restore: (message) => tasks.restore(message) }));
}

/** Reads and removes a control header. Only headers set by the route count, never those received from outside. */
function consumeFlag(exchange: Exchange, name: string): boolean {
  const value = exchange.message.headers.getOwn(name);
  if (value !== true && asText(value).toLowerCase() !== "true") return false;
  exchange.message.headers.delete(name);
  return true;
}
