import { f } from "@sluice/model";

const levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"] as const;

/** The options of `redeliveryPolicy`, wherever it stands. */
export const redeliveryFields = {
  maximumRedeliveries: f.integer({ doc: "How often a failed step is tried again; -1 for ever.", default: 0 }),
  redeliveryDelay: f.duration({ doc: "Wait before the first redelivery.", default: 1000 }),
  maximumRedeliveryDelay: f.duration({ doc: "No wait is longer than this; -1 for no bound.", default: 60_000 }),
  useExponentialBackOff: f.boolean({ doc: "Each wait is the one before times the multiplier.", default: false }),
  backOffMultiplier: f.number({ doc: "Factor of the exponential back-off.", default: 2 }),
  useCollisionAvoidance: f.boolean({ doc: "Varies each wait a little, so that many failed runs do not come back at once.", default: false }),
  collisionAvoidanceFactor: f.number({ doc: "By how much, as a share of the wait.", default: 0.15 }),
  delayPattern: f.string({ doc: "Waits by attempt, such as `0:50;2:150`; wins over the other delay options." }),
  asyncDelayedRedelivery: f.boolean({ doc: "Accepted for Camel routes; waiting never blocks here.", default: false, group: "advanced" }),
  disableRedelivery: f.boolean({ doc: "Switches redelivery off.", default: false }),
  allowRedeliveryWhileStopping: f.boolean({ doc: "Goes on redelivering while the route drains.", default: true, group: "advanced" }),
  exchangeFormatterRef: f.string({ doc: "Accepted for Camel routes.", group: "advanced" }),
  logContinued: f.boolean({ doc: "Logs failures after which the route goes on.", default: false, group: "advanced" }),
  logExhausted: f.boolean({ doc: "Accepted for Camel routes: a failure nobody handles is always logged.", default: true, group: "advanced" }),
  logExhaustedMessageBody: f.boolean({ doc: "Accepted for Camel routes.", default: false, group: "advanced" }),
  logExhaustedMessageHistory: f.boolean({ doc: "Accepted for Camel routes.", default: false, group: "advanced" }),
  logHandled: f.boolean({ doc: "Logs failures that a clause or the dead letter endpoint takes care of.", default: false, group: "advanced" }),
  logNewException: f.boolean({ doc: "Accepted for Camel routes.", default: true, group: "advanced" }),
  logRetryAttempted: f.boolean({ doc: "Logs each redelivery.", default: true, group: "advanced" }),
  logRetryStackTrace: f.boolean({ doc: "Accepted for Camel routes.", default: false, group: "advanced" }),
  logStackTrace: f.boolean({ doc: "Accepted for Camel routes.", default: true, group: "advanced" }),
  redeliveryDelayPattern: f.string({ doc: "Accepted for Camel routes.", group: "advanced" }),
  retriesExhaustedLogLevel: f.enum(levels, { doc: "Level of the record of a failure that is handled or continued.", default: "ERROR", group: "advanced" }),
  retryAttemptedLogInterval: f.integer({ doc: "Logs only every so many redeliveries, and the first.", default: 1, group: "advanced" }),
  retryAttemptedLogLevel: f.enum(levels, { doc: "Level of the record of a redelivery.", default: "DEBUG", group: "advanced" }),
} as const;
