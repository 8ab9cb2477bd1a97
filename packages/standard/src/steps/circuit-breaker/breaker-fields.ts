import { f, type Values } from "@sluice/model";

const exceptionTypes = (doc: string) => f.list(f.string({ doc: "A fully qualified exception type.", required: true }), { doc, default: [] });

/** waitDurationInOpenState and slowCallDurationThreshold were in seconds before Camel 4.22, so a small number without a unit is probably a mistake. */
const warnAboutSeconds = (text: string): string | undefined =>
  /^\d+$/.test(text) && Number(text) > 0 && Number(text) < 1000
    ? `${text} means ${text} ms; before Camel 4.22 it meant ${text} seconds: write ${text}s or ${text}ms`
    : undefined;

export const breakerFields = {
  id: f.string({ doc: "Name of this configuration, for tools.", group: "advanced" }),
  failureRateThreshold: f.number({ doc: "Percentage of failed calls at which the circuit opens.", default: 50, min: 0, max: 100 }),
  minimumNumberOfCalls: f.integer({
    doc: "Minimum number of calls in the window before the rates are evaluated; with COUNT_BASED, at most slidingWindowSize.",
    default: 100,
    min: 1,
  }),
  slidingWindowSize: f.integer({ doc: "Size of the window over which the rates are calculated, in calls or seconds.", default: 100, min: 1, max: 100_000 }),
  slidingWindowType: f.enum(["COUNT_BASED", "TIME_BASED"], { doc: "Whether the window is measured in calls or seconds.", default: "COUNT_BASED" }),
  waitDurationInOpenState: f.duration({ doc: "How long the circuit stays open before test calls are allowed.", default: 60_000, caution: warnAboutSeconds }),
  permittedNumberOfCallsInHalfOpenState: f.integer({ doc: "Number of test calls that decide whether the circuit closes.", default: 10, min: 1 }),
  maxWaitDurationInHalfOpenState: f.duration({ doc: "Opens the circuit again after it has been half open for this long; 0 for no limit.", default: 0 }),
  slowCallDurationThreshold: f.duration({ doc: "A call that takes at least this long counts as slow.", default: 60_000, caution: warnAboutSeconds }),
  slowCallRateThreshold: f.number({ doc: "Percentage of slow calls at which the circuit opens.", default: 100, min: 0, max: 100 }),
  timeoutEnabled: f.boolean({ doc: "Fails calls that exceed timeoutDuration.", default: false }),
  timeoutDuration: f.duration({ doc: "Timeout of a call.", default: 1000 }),
  bulkheadEnabled: f.boolean({ doc: "Limits concurrent calls.", default: false }),
  bulkheadMaxConcurrentCalls: f.integer({ doc: "Maximum number of concurrent calls.", default: 25, min: 1 }),
  bulkheadMaxWaitDuration: f.duration({ doc: "Accepted but ignored: a call above the limit is rejected immediately.", default: 0, group: "advanced" }),
  recordException: exceptionTypes(
    "Only these exceptions count as failures. After any other exception, the call counts as successful, and the exchange continues with the message as it was before.",
  ),
  ignoreException: exceptionTypes(
    "Calls that fail with these exceptions count neither as success nor as failure; the exchange continues with the message as it was before.",
  ),
  throwExceptionWhenHalfOpenOrOpenState: f.boolean({
    doc: "Without a fallback, fails the exchange when the circuit does not permit the call, instead of skipping the steps.",
    default: false,
  }),
  automaticTransitionFromOpenToHalfOpenEnabled: f.boolean({
    doc: "Accepted but ignored: the circuit becomes half open with the first call after the wait.",
    default: false,
    group: "advanced",
  }),
  bulkheadFairCallHandlingEnabled: f.boolean({ doc: "Accepted but ignored: no call waits.", default: true, group: "advanced" }),
  slidingWindowSynchronizationStrategy: f.string({ doc: "Accepted but ignored: there are no threads to synchronize.", group: "advanced" }),
  asynchronous: f.boolean({ doc: "Accepted but ignored: waiting never blocks.", default: false, group: "advanced" }),
  circuitBreaker: f.unsupported("circuitBreaker refers to a Java object; set its options here"),
  config: f.unsupported("config refers to a Java object; set its options here, or name a bean in the option 'configuration'"),
  writableStackTraceEnabled: f.boolean({ doc: "Accepted but ignored.", default: true, group: "advanced" }),
  micrometerEnabled: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  timeoutCancelRunningFuture: f.boolean({ doc: "Accepted but ignored: a late result is always discarded.", default: true, group: "advanced" }),
  timeoutExecutorService: f.string({ doc: "Accepted but ignored.", group: "advanced" }),
};

export type BreakerOptions = Values<typeof breakerFields>;

/** The options of a circuit breaker without a configuration. */
export const breakerDefaults: BreakerOptions = {
  id: undefined,
  maxWaitDurationInHalfOpenState: 0,
  bulkheadFairCallHandlingEnabled: true,
  slidingWindowSynchronizationStrategy: undefined,
  asynchronous: false,
  circuitBreaker: undefined,
  config: undefined,
  failureRateThreshold: 50,
  minimumNumberOfCalls: 100,
  slidingWindowSize: 100,
  slidingWindowType: "COUNT_BASED",
  waitDurationInOpenState: 60_000,
  permittedNumberOfCallsInHalfOpenState: 10,
  slowCallDurationThreshold: 60_000,
  slowCallRateThreshold: 100,
  timeoutEnabled: false,
  timeoutDuration: 1000,
  bulkheadEnabled: false,
  bulkheadMaxConcurrentCalls: 25,
  bulkheadMaxWaitDuration: 0,
  recordException: [],
  ignoreException: [],
  throwExceptionWhenHalfOpenOrOpenState: false,
  automaticTransitionFromOpenToHalfOpenEnabled: false,
  writableStackTraceEnabled: true,
  micrometerEnabled: false,
  timeoutCancelRunningFuture: true,
  timeoutExecutorService: undefined,
};
