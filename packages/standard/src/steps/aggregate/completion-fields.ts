import { f } from "@sluice/model";

/** Options that define when a group is complete and how it is then processed. */
export const completionFields = {
  completionSize: f.integer({ doc: "Completes a group after this many messages.", default: 0, min: 0 }),
  completionSizeExpression: f.expression({ doc: "Like completionSize, but evaluated per message; takes precedence when above 0." }),
  completionTimeout: f.duration({ doc: "Completes a group when no message has arrived for this long.", default: 0 }),
  completionTimeoutExpression: f.expression({ doc: "Like completionTimeout, but evaluated per message; takes precedence when above 0." }),
  completionInterval: f.duration({ doc: "Completes all groups at this interval.", default: 0 }),
  completionPredicate: f.expression({ doc: "Completes a group when this condition is true." }),
  completionFromBatchConsumer: f.boolean({
    doc: "Completes all groups when the batch of the source ends (property CamelBatchSize).",
    default: false,
    group: "advanced",
  }),
  completionOnNewCorrelationGroup: f.boolean({
    doc: "Completes all open groups when the first message of another group arrives.",
    default: false,
    group: "advanced",
  }),
  eagerCheckCompletion: f.boolean({
    doc: "Evaluates the completion conditions on the incoming message instead of on the group.",
    default: false,
    group: "advanced",
  }),
  completionTimeoutCheckerInterval: f.duration({ doc: "How often timeouts are checked.", default: 1000, group: "advanced" }),
  ignoreInvalidCorrelationKeys: f.boolean({ doc: "Lets messages without a key continue instead of failing.", default: false }),
  closeCorrelationKeyOnCompletion: f.integer({
    doc: "Rejects messages for completed groups. The value is the number of keys to remember, at most 100,000; 0 means 100,000.",
    min: 0,
    group: "advanced",
  }),
  discardOnCompletionTimeout: f.boolean({ doc: "Discards groups that time out instead of completing them.", default: false, group: "advanced" }),
  discardOnAggregationFailure: f.boolean({ doc: "Discards the group when merging a message fails.", default: false, group: "advanced" }),
  forceCompletionOnStop: f.boolean({ doc: "Completes all groups when the flow stops.", default: false, group: "advanced" }),
  completeAllOnStop: f.boolean({ doc: "Same as forceCompletionOnStop.", default: false, group: "advanced" }),
  parallelProcessing: f.boolean({ doc: "Accepted but ignored: completed groups never block the sender.", default: false, group: "advanced" }),
  optimisticLocking: f.boolean({
    doc: "Accepted but ignored: a merge that conflicts with another one is always repeated.",
    default: false,
    group: "advanced",
  }),
  executorService: f.string({ doc: "Accepted but ignored: there are no thread pools.", group: "advanced" }),
  timeoutCheckerExecutorService: f.string({ doc: "Accepted but ignored: there are no thread pools.", group: "advanced" }),
};
