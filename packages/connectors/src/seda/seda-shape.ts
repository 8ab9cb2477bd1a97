import { f, type Values } from "@sluice/model";
import { sinkFields } from "../camel-options.ts";

export const sedaPath = { name: f.string({ doc: "The name of the queue; every endpoint of this name is the same queue.", required: true }) };

export const sedaOptions = {
  size: f.integer({ doc: "How many messages may wait; 1000 unless said here or by the route that consumes.", min: 1, max: 10_000_000 }),
  concurrentConsumers: f.integer({ doc: "How many messages the consuming route works on at the same time.", default: 1, min: 1 }),
  limitConcurrentConsumers: f.boolean({ doc: "Whether concurrentConsumers may not be more than 500.", default: true, group: "advanced" }),
  multipleConsumers: f.boolean({ doc: "Whether several routes may consume; each of them gets a copy of every message.", default: false }),
  purgeWhenStopping: f.boolean({
    doc: "Whether stopping the consuming route throws away what waits instead of working it off.",
    default: false,
    group: "advanced",
  }),
  pollTimeout: f.duration({ doc: "Accepted for flows from Camel: a consumer is woken by a message, it does not poll.", default: 1000, group: "advanced" }),
  waitForTaskToComplete: f.enum(["IfReplyExpected", "Always", "Never"], {
    doc: "When a sender waits for the consuming route to finish.",
    default: "IfReplyExpected",
  }),
  timeout: f.duration({ doc: "How long a waiting sender waits for the reply; 0 or less waits for ever.", default: 30_000 }),
  blockWhenFull: f.boolean({ doc: "Whether a sender waits for room in a full queue instead of failing.", default: false }),
  offerTimeout: f.duration({ doc: "How long a sender waits for room before it fails; 0 waits for ever.", default: 0 }),
  discardWhenFull: f.boolean({ doc: "Whether a message for a full queue is thrown away instead of failing its sender.", default: false }),
  failIfNoConsumers: f.boolean({ doc: "Whether sending fails when no route consumes.", default: false }),
  discardIfNoConsumers: f.boolean({ doc: "Whether a message is thrown away when no route consumes; otherwise it waits.", default: false }),
  ...sinkFields,
};

export type SedaOptions = Values<typeof sedaPath> & Values<typeof sedaOptions>;
