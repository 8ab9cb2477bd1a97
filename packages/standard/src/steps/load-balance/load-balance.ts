import { CompileError, defineStep } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { clauseFields } from "../clause.ts";
import { checkExceptionType } from "../exception-type.ts";
import { atRandom, byKey, byWeight, roundRobin, toAll, type Balancer } from "./balancers.ts";
import { failover } from "./failover.ts";

const inherit = {
  inheritErrorHandler: f.boolean({ doc: "Accepted but ignored: only failover uses this option.", default: true, group: "advanced" }),
};

/** Chooses one of its child steps for each message. */
export const loadBalance = defineStep({
  name: "loadBalance",
  title: "Load balance",
  summary: "Chooses one of its child steps for each message.",
  guarantees:
    "Exactly one child runs per message, except with topicLoadBalancer (every child) and failover (the next child after a failure). Counters and sticky keys (the last 10,000) are stored in memory, per deployment. Messages that go to different children can overtake each other.",
  group: "routing",
  icon: "scale",
  paletteGroup: "send",
  card: { title: "Send to one of" },
  since: "0.1",
  stateScope: "node",
  adoptsSiblings: true,
  lanes: "one",
  options: {
    roundRobinLoadBalancer: f.object({ ...clauseFields, ...inherit }, { doc: "Uses the children in turn." }),
    randomLoadBalancer: f.object({ ...clauseFields, ...inherit }, { doc: "Uses a random child." }),
    topicLoadBalancer: f.object(
      { ...clauseFields, ...inherit },
      { doc: "Sends a copy to every child, in order; replies are discarded, and the first failure stops the step." },
    ),
    customLoadBalancer: f.unsupported("customLoadBalancer refers to a Java object; use another load balancer or choice"),
    stickyLoadBalancer: f.object(
      { correlationExpression: f.expression({ doc: "Messages with the same value go to the same child.", required: true }), ...clauseFields, ...inherit },
      { doc: "Uses the same child for the same key." },
    ),
    weightedLoadBalancer: f.object(
      {
        distributionRatio: f.string({ doc: "One integer per child, such as 2,1.", required: true }),
        distributionRatioDelimiter: f.text({ doc: "Separator of the numbers.", default: "," }),
        roundRobin: f.boolean({ doc: "Uses the children in turn instead of randomly.", default: false }),
        ...clauseFields,
        ...inherit,
      },
      { doc: "Uses some children more often than others." },
    ),
    failoverLoadBalancer: f.object(
      {
        exception: f.list(f.string({ doc: "A fully qualified exception type.", required: true, names: "exception" }), {
          doc: "Exception types after which the next child is tried; any exception if the list is empty.",
          default: [],
        }),
        maximumFailoverAttempts: f.integer({ doc: "Maximum number of attempts after the first child fails; -1 tries each child once.", default: -1, min: -1 }),
        roundRobin: f.boolean({ doc: "Starts each message with the next child.", default: false }),
        sticky: f.boolean({ doc: "Starts with the child that succeeded last.", default: false }),
        inheritErrorHandler: f.boolean({
          doc: "Lets the error handler of the route handle failures before the next child is tried.",
          default: true,
          group: "advanced",
        }),
        ...clauseFields,
      },
      { doc: "Tries the next child when a child fails." },
    ),
    steps: f.steps({ doc: "The children: each direct child step is one target; group several steps with pipeline.", default: [] }),
  },
  examples: [
    {
      title: "Use the second step if the first fails",
      yaml: "loadBalance: {failoverLoadBalancer: {}, steps: [{throwException: {exceptionType: java.io.IOException, message: down}}, {setBody: {constant: second}}]}",
      expect: { body: "second" },
    },
  ],
  compile({ steps, ...kinds }, compiler) {
    const chosen = Object.keys(kinds).filter((kind) => kinds[kind as keyof typeof kinds] !== undefined);
    if (chosen.length !== 1)
      throw new CompileError("option-missing", `loadBalance needs exactly one load balancer, such as roundRobinLoadBalancer: {}, but has ${chosen.length}`, {
        hint: chosen.length === 0 ? "add roundRobinLoadBalancer: {}" : "keep one of them",
        ...(chosen[1] === undefined ? {} : { option: chosen[1] }),
      });
    if (steps.length === 0) throw new CompileError("option-missing", "loadBalance needs at least one step to choose from", { hint: "add steps" });
    const { failoverLoadBalancer: failoverOptions, stickyLoadBalancer: sticky, weightedLoadBalancer: weighted } = kinds;
    failoverOptions?.exception.forEach(checkExceptionType);
    const children = steps.map((node) => compiler.steps([node], failoverOptions?.inheritErrorHandler === false ? { errors: "off" } : undefined));
    const { host } = compiler;
    let balancer: Balancer;
    if (failoverOptions !== undefined) balancer = failover(children, failoverOptions, host);
    else if (sticky !== undefined) balancer = byKey(children, compiler.expression(sticky.correlationExpression));
    else if (weighted !== undefined) balancer = byWeight(children, ratiosOf(weighted, children.length), weighted.roundRobin, host);
    else if (kinds.topicLoadBalancer !== undefined) balancer = toAll(children, host);
    else if (kinds.randomLoadBalancer !== undefined) balancer = atRandom(children, host);
    else balancer = roundRobin(children);
    return balancer;
  },
});

function ratiosOf(options: { readonly distributionRatio: string; readonly distributionRatioDelimiter: string }, children: number): readonly number[] {
  const ratios = options.distributionRatio.split(options.distributionRatioDelimiter).map((text) => Number(text.trim()));
  if (ratios.length !== children || ratios.some((ratio) => !Number.isInteger(ratio) || ratio < 0) || !ratios.some((ratio) => ratio > 0))
    throw new CompileError("option-invalid", `distributionRatio '${options.distributionRatio}' must have one integer for each of the ${children} child steps`, {
      hint: `use integers of 0 or more, at least one of them above 0, for example ${Array.from({ length: children }, () => 1).join(",")}`,
      value: options.distributionRatio,
    });
  return ratios;
}
