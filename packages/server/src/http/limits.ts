/** Limits for HTTP clients: sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly maxBodyBytes: number;
  /** Request bytes in memory across all connections; requests beyond this limit get 503. Unsent responses may use half of it. */
  readonly maxBodyBytesHeld: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  readonly maxUrlBytes: number;
  /** From the first byte of a request to the end of its head. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client may stop reading before it is disconnected. */
  readonly sendTimeoutMs: number;
  /** How often timed-out requests are detected. */
  readonly checkIntervalMs: number;
  readonly maxConnections: number;
  /** Concurrent webhook requests, in total and per route; requests beyond these limits get 503. */
  readonly maxConcurrent: number;
  readonly maxConcurrentPerRoute: number;
}

export const defaultHttpLimits: HttpLimits = {
  maxBodyBytes: 10_485_760,
  maxBodyBytesHeld: 100_663_296,
  maxHeaderBytes: 16_384,
  maxHeaderCount: 200,
  maxUrlBytes: 8_192,
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  sendTimeoutMs: 30_000,
  checkIntervalMs: 1_000,
  maxConnections: 20_000,
  maxConcurrent: 10_000,
  maxConcurrentPerRoute: 5_000,
};
