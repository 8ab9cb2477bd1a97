import { f, type Values } from "@sluice/model";

export const queuePath = { name: f.string({ doc: "The name of the queue; every endpoint of this name is the same queue.", required: true }) };

export const redeliveryOptions = {
  maximumRedeliveries: f.integer({
    doc: "How often a message whose run failed is tried again before it goes to the dead letters; -1 never gives up.",
    default: 5,
    min: -1,
  }),
  redeliveryDelay: f.duration({ doc: "How long a failed message waits before its next try.", default: 1_000 }),
  backOffMultiplier: f.number({ doc: "By how much the wait grows from try to try.", default: 2, min: 1 }),
  maximumRedeliveryDelay: f.duration({ doc: "The longest wait between two tries.", default: 60_000 }),
  visibilityTimeout: f.duration({
    doc: "How long a run may hold a message before it is tried again; 0 leaves it to the runtime's limit for a run.",
    default: 0,
    group: "advanced",
  }),
};

export const queueOptions = {
  concurrentConsumers: f.integer({ doc: "How many messages the consuming route works on at the same time.", default: 1, min: 1, max: 500 }),
  key: f.string({ doc: "Messages of the same key are worked on one after the other, in the order they were sent." }),
  keyHeader: f.string({ doc: "The header whose value is the key.", examples: ["orderId"] }),
  delay: f.duration({ doc: "How long a message waits in the queue before it is due.", default: 0 }),
  ...redeliveryOptions,
};

export type QueueOptions = Values<typeof queuePath> & Values<typeof queueOptions>;
