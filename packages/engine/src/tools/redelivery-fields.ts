import { f } from "@sluice/model";

const levels = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"] as const;

/** The options of `redeliveryPolicy`, wherever it is used. */
export const redeliveryFields = {
  id: f.string({ doc: "Name of this policy, for tools.", group: "advanced" }),
  maximumRedeliveries: f.integer({ doc: "Maximum number of retries of a failed step; -1 for no limit.", default: 0 }),
  redeliveryDelay: f.duration({ doc: "Delay before each redelivery; with exponential back-off, before the first.", default: 1000 }),
  maximumRedeliveryDelay: f.duration({ doc: "Maximum delay; -1 for no limit.", default: 60_000 }),
  useExponentialBackOff: f.boolean({ doc: "Multiplies the delay by backOffMultiplier after each attempt.", default: false }),
  backOffMultiplier: f.number({ doc: "Factor of the exponential back-off.", default: 2 }),
  useCollisionAvoidance: f.boolean({ doc: "Adds jitter to each delay, so that many failed runs do not retry at the same time.", default: false }),
  collisionAvoidanceFactor: f.number({ doc: "Amount of jitter, as a fraction of the delay.", default: 0.15 }),
  delayPattern: f.string({ doc: "Delays by attempt, such as `0:50;2:150`; overrides the other delay options." }),
  asyncDelayedRedelivery: f.boolean({ doc: "Accepted but ignored: waiting never blocks a thread.", default: false, group: "advanced" }),
  disableRedelivery: f.boolean({ doc: "Disables redelivery.", default: false }),
  allowRedeliveryWhileStopping: f.boolean({ doc: "Continues redelivery while the route drains.", default: true, group: "advanced" }),
  exchangeFormatterRef: f.string({ doc: "Accepted but ignored: it refers to a Java object.", group: "advanced" }),
  logContinued: f.boolean({ doc: "Logs failures after which the route continues.", default: false, group: "advanced" }),
  logExhausted: f.boolean({ doc: "Accepted but ignored: unhandled failures are always logged.", default: true, group: "advanced" }),
  logExhaustedMessageBody: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  logExhaustedMessageHistory: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  logHandled: f.boolean({ doc: "Logs failures that a clause or the dead letter endpoint handles.", default: false, group: "advanced" }),
  logNewException: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
  logRetryAttempted: f.boolean({ doc: "Logs each redelivery.", default: true, group: "advanced" }),
  logRetryStackTrace: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  logStackTrace: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
  redeliveryDelayPattern: f.string({ doc: "Accepted but ignored: use delayPattern.", group: "advanced" }),
  retriesExhaustedLogLevel: f.enum(levels, { doc: "Log level of failures that are handled or continued.", default: "ERROR", group: "advanced" }),
  retryAttemptedLogInterval: f.integer({ doc: "Logs the first redelivery and then every nth.", default: 1, group: "advanced" }),
  retryAttemptedLogLevel: f.enum(levels, { doc: "Log level of redeliveries.", default: "DEBUG", group: "advanced" }),
} as const;
