// Limits of the runtime that do not need to be configurable. Tests use smaller limits.

const mebibyte = 1024 * 1024;

export const fixedLimits = {
  /** Log text buffered for a slow reader of standard output; more is dropped and counted. */
  logBuffer: 8 * mebibyte,
  /** Nested calls to other routes within one run. */
  callDepth: 100,
  /** Maximum size of a message in a durable queue or in the dead-letter store. */
  queueMessageBytes: 16 * mebibyte,
  /** Memory for messages of routes with capture enabled. */
  captureBytes: 32 * mebibyte,
  /** Events kept per stream for clients that reconnect. */
  streamEvents: 10_000,
  /** Memory for these events. */
  streamBytes: 16 * mebibyte,
  /** Events buffered for a slow client; then the oldest are dropped. */
  streamClientEvents: 1_000,
  /** Memory for these buffered events. */
  streamClientBytes: 4 * mebibyte,
  /** Interval of heartbeat comments on a stream. */
  streamHeartbeatMs: 15_000,
  /** How long a stream client may stop reading before it is disconnected. */
  streamStuckMs: 30_000,
  /** Spans buffered for the collector; more are dropped and counted. */
  otlpSpans: 20_000,
  /** Concurrent test sessions. */
  maxSessions: 200,
  /** Recorded calls per test session. */
  sessionCalls: 1_000,
  /** Memory for the recorded calls of a test session. */
  sessionBytes: 8 * mebibyte,
  /** Breakpoint sessions; each holds at most one message. */
  maxBreakpointSessions: 4,
  /** How long a breakpoint session lasts without a request from its client. */
  breakpointLeaseMs: 15_000,
  /** Maximum time a breakpoint holds a message. */
  breakpointHoldMs: 300_000,
};

export type FixedLimits = Readonly<typeof fixedLimits>;
