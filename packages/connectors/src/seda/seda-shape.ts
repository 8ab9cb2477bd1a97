import { f, type Values } from "@sluice/model";
import { callFields, sinkFields } from "../camel-options.ts";

export const sedaPath = { name: f.string({ doc: "Name of the queue; all endpoints with this name share one queue.", required: true, names: "route" }) };

export const sedaOptions = {
  size: f.integer({ doc: "Capacity of the queue; 1000 unless set here or by the consuming route.", min: 1, max: 10_000_000 }),
  concurrentConsumers: f.integer({ doc: "How many messages the consuming route processes concurrently.", default: 1, min: 1 }),
  limitConcurrentConsumers: f.boolean({ doc: "Whether concurrentConsumers is limited to 500.", default: true, group: "advanced" }),
  multipleConsumers: f.boolean({ doc: "Whether several routes may consume; each gets a copy of every message.", default: false }),
  purgeWhenStopping: f.boolean({
    doc: "Whether stopping the consuming route discards waiting messages instead of processing them.",
    default: false,
    group: "advanced",
  }),
  pollTimeout: f.duration({ doc: "Accepted but ignored: consumers do not poll.", default: 1000, group: "advanced" }),
  waitForTaskToComplete: f.enum(["IfReplyExpected", "Always", "Never"], {
    doc: "When the sender waits for the consuming route to finish.",
    default: "IfReplyExpected",
  }),
  timeout: f.duration({ doc: "How long a sender waits for the reply; 0 or less for no limit.", default: 30_000 }),
  blockWhenFull: f.boolean({ doc: "Whether a sender waits when the queue is full instead of failing.", default: false }),
  offerTimeout: f.duration({ doc: "With blockWhenFull: how long a sender waits when the queue is full; 0 for no limit.", default: 0 }),
  discardWhenFull: f.boolean({ doc: "Whether a message is discarded when the queue is full instead of failing the sender.", default: false }),
  failIfNoConsumers: f.boolean({ doc: "Whether sending fails when there is no consumer.", default: false }),
  discardIfNoConsumers: f.boolean({ doc: "Whether a message is discarded when there is no consumer; otherwise it waits.", default: false }),
  ...sinkFields,
  ...callFields,
};

export type SedaOptions = Values<typeof sedaPath> & Values<typeof sedaOptions>;
