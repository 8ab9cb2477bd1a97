import { f, type Values } from "@sluice/model";

const types = (doc: string) => f.list(f.string({ doc: "A fully qualified exception type.", required: true }), { doc, default: [] });

export const breakerFields = {
  failureRateThreshold: f.number({ doc: "Percent of failures that opens the circuit.", default: 50, min: 0, max: 100 }),
  minimumNumberOfCalls: f.integer({ doc: "Calls before the rate counts.", default: 100, min: 1 }),
  slidingWindowSize: f.integer({ doc: "How many of the last calls, or seconds, the rate is worked out over.", default: 100, min: 1, max: 100_000 }),
  slidingWindowType: f.enum(["COUNT_BASED", "TIME_BASED"], { doc: "Whether the window counts calls or seconds.", default: "COUNT_BASED" }),
  waitDurationInOpenState: f.duration({ doc: "How long the circuit stays open before it is tried again.", default: 60_000 }),
  permittedNumberOfCallsInHalfOpenState: f.integer({ doc: "Calls that decide whether it closes again.", default: 10, min: 1 }),
  slowCallDurationThreshold: f.duration({ doc: "A call that takes longer is slow.", default: 60_000 }),
  slowCallRateThreshold: f.number({ doc: "Percent of slow calls that opens the circuit.", default: 100, min: 0, max: 100 }),
  timeoutEnabled: f.boolean({ doc: "Gives up on calls that take too long.", default: false }),
  timeoutDuration: f.duration({ doc: "How long a call may take.", default: 1000 }),
  bulkheadEnabled: f.boolean({ doc: "Limits the calls at the same time.", default: false }),
  bulkheadMaxConcurrentCalls: f.integer({ doc: "Calls at the same time.", default: 25, min: 1 }),
  bulkheadMaxWaitDuration: f.duration({ doc: "Accepted without effect: a call over the limit is refused at once.", default: 0, group: "advanced" }),
  recordException: types("Only these count as failures; others are swallowed."),
  ignoreException: types("These count neither way and are swallowed."),
  throwExceptionWhenHalfOpenOrOpenState: f.boolean({ doc: "Without a fallback, an open circuit fails instead of skipping the steps.", default: false }),
  automaticTransitionFromOpenToHalfOpenEnabled: f.boolean({
    doc: "Accepted without effect: the next call after the wait finds it half open.",
    default: false,
    group: "advanced",
  }),
  writableStackTraceEnabled: f.boolean({ doc: "Accepted without effect.", default: true, group: "advanced" }),
  micrometerEnabled: f.boolean({ doc: "Accepted without effect.", default: false, group: "advanced" }),
  timeoutCancelRunningFuture: f.boolean({ doc: "Accepted without effect: a late result is ignored.", default: true, group: "advanced" }),
  timeoutExecutorService: f.string({ doc: "Accepted without effect.", group: "advanced" }),
};

export type BreakerOptions = Values<typeof breakerFields>;

/** What holds when the configuration is not given at all. */
export const breakerDefaults: BreakerOptions = {
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
