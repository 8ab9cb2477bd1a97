// Options that nearly every endpoint of Camel has.
import { f } from "@sluice/model";

/** For sources that make messages of their own accord: nobody waits for a reply to those. */
export const sourceFields = {
  exchangePattern: f.enum(["InOnly", "InOut"], {
    doc: "InOut lets steps that wait only when a reply is expected, such as seda, wait.",
    default: "InOnly",
    group: "advanced",
  }),
  bridgeErrorHandler: f.boolean({
    doc: "Accepted for flows from Camel: failures of a message always reach the route's error handler.",
    default: false,
    group: "advanced",
  }),
  runLoggingLevel: f.string({ doc: "Accepted for flows from Camel: runs are in the run history.", group: "advanced" }),
};

export const sinkFields = {
  lazyStartProducer: f.boolean({ doc: "Accepted for flows from Camel: an endpoint starts with its flow.", default: false, group: "advanced" }),
};
