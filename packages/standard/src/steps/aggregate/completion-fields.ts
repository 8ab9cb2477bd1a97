import { f } from "@sluice/model";

/** When a group is finished, and what happens to it then. */
export const completionFields = {
  completionSize: f.integer({ doc: "A group is finished with so many messages.", default: 0, min: 0 }),
  completionSizeExpression: f.expression({ doc: "As completionSize, worked out per message; wins when it is above 0." }),
  completionTimeout: f.duration({ doc: "A group is finished when no message came for so long.", default: 0 }),
  completionTimeoutExpression: f.expression({ doc: "As completionTimeout, worked out per message; wins when it is above 0." }),
  completionInterval: f.duration({ doc: "All groups are finished every so often.", default: 0 }),
  completionPredicate: f.expression({ doc: "A group is finished when this holds for it." }),
  completionFromBatchConsumer: f.boolean({
    doc: "All groups are finished when the batch of the source is over (property CamelBatchSize).",
    default: false,
    group: "advanced",
  }),
  completionOnNewCorrelationGroup: f.boolean({ doc: "A message of another group finishes the groups before it.", default: false, group: "advanced" }),
  eagerCheckCompletion: f.boolean({ doc: "Conditions see the incoming message instead of the group.", default: false, group: "advanced" }),
  completionTimeoutCheckerInterval: f.duration({ doc: "How often timeouts are looked for.", default: 1000, group: "advanced" }),
  ignoreInvalidCorrelationKeys: f.boolean({ doc: "Lets messages without a key pass instead of failing them.", default: false }),
  closeCorrelationKeyOnCompletion: f.integer({
    doc: "Refuses messages for finished groups, remembering so many of them; 0 remembers as many as it may.",
    min: 0,
    group: "advanced",
  }),
  discardOnCompletionTimeout: f.boolean({ doc: "Drops a group that timed out.", default: false, group: "advanced" }),
  discardOnAggregationFailure: f.boolean({ doc: "Drops the group when merging a message fails.", default: false, group: "advanced" }),
  forceCompletionOnStop: f.boolean({ doc: "Finishes all groups when the flow stops.", default: false, group: "advanced" }),
  completeAllOnStop: f.boolean({ doc: "As forceCompletionOnStop.", default: false, group: "advanced" }),
  parallelProcessing: f.boolean({ doc: "Accepted without effect: finished groups never hold up the sender.", default: false, group: "advanced" }),
  optimisticLocking: f.boolean({ doc: "Accepted without effect: there are no locks.", default: false, group: "advanced" }),
  executorService: f.string({ doc: "Accepted without effect: there are no thread pools.", group: "advanced" }),
  timeoutCheckerExecutorService: f.string({ doc: "Accepted without effect: there are no thread pools.", group: "advanced" }),
};
