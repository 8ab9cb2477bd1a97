import { f, type Values } from "@sluice/model";

export const queuePath = { name: f.string({ doc: "Name of the queue; all endpoints with this name share one queue.", required: true, names: "route" }) };

/** Options for retries. `condition` is part of their descriptions, for connectors that use them only in some cases. */
export function redeliveryOptions(condition?: string) {
  const describe = (text: string): string => (condition === undefined ? text : `${condition}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`);
  return {
    maximumRedeliveries: f.integer({
      doc: describe("Maximum number of retries before a failed message becomes a dead letter; -1 for no limit."),
      default: 5,
      min: -1,
    }),
    redeliveryDelay: f.duration({ doc: describe("Delay before the first retry of a failed message."), default: 1_000 }),
    backOffMultiplier: f.number({ doc: describe("Factor by which the delay grows with each retry."), default: 2, min: 1 }),
    maximumRedeliveryDelay: f.duration({ doc: describe("Maximum delay between retries."), default: 60_000 }),
    visibilityTimeout: f.duration({
      doc: describe("How long a run may take before its message is delivered again; 0 uses the runtime's limit for a run."),
      default: 0,
      group: "advanced",
    }),
  };
}

export const queueOptions = {
  concurrentConsumers: f.integer({ doc: "How many messages the consuming route processes concurrently.", default: 1, min: 1, max: 500 }),
  key: f.string({ doc: "Messages with the same key are processed one at a time, in the order they were sent." }),
  keyHeader: f.string({ doc: "The header whose value is the key; without this header, `key` applies.", examples: ["orderId"] }),
  delay: f.duration({ doc: "Delay before a message is delivered.", default: 0 }),
  ...redeliveryOptions(),
};

export type QueueOptions = Values<typeof queuePath> & Values<typeof queueOptions>;
