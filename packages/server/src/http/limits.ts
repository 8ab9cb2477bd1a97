/** What one process lets its callers take: sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly maxBodyBytes: number;
  readonly maxHeaderBytes: number;
  readonly maxHeaderCount: number;
  readonly maxUrlBytes: number;
  /** From a request's first byte to the end of its head. */
  readonly headersTimeoutMs: number;
  /** From a request's first byte to the end of its body. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a reply may sit in the send buffer without the client taking any of it. */
  readonly sendTimeoutMs: number;
  /** How often late requests are looked for. */
  readonly checkIntervalMs: number;
  readonly maxConnections: number;
  /** Webhook requests being served at one time, over all routes and per route; more get 503. */
  readonly maxConcurrent: number;
  readonly maxConcurrentPerRoute: number;
}

export const defaultHttpLimits: HttpLimits = {
  maxBodyBytes: 10_485_760,
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
