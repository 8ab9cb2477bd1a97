// Limits password guessing: after a few wrong passwords a source must wait, with exponential back-off. Other sources are unaffected.
import { HttpError } from "./http-error.ts";

const freeAttempts = 5;
const firstWaitMs = 1000;
const maxWaitMs = 5 * 60_000;
/** The count of a source is reset after this time without a wrong password. */
const resetAfterMs = 30 * 60_000;
const maxSources = 10_000;

interface Attempts {
  readonly failures: number;
  readonly lastFailureAt: number;
}

export class SignInRateLimit {
  /** Ordered by the last wrong password. */
  readonly #sources = new Map<string, Attempts>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Rejects a source that must still wait. */
  assertAllowed(source: string): void {
    const attempts = this.#sources.get(source);
    if (attempts === undefined || attempts.failures < freeAttempts) return;
    const remainingMs = attempts.lastFailureAt + waitAfter(attempts.failures) - this.#now();
    if (remainingMs <= 0) return;
    const seconds = Math.ceil(remainingMs / 1000);
    throw new HttpError(429, `too many wrong passwords from your address: wait ${seconds} s`, {}, { "retry-after": String(seconds) });
  }

  recordFailure(source: string): void {
    const now = this.#now();
    const attempts = this.#sources.get(source);
    const count = attempts === undefined || attempts.lastFailureAt < now - resetAfterMs ? 0 : attempts.failures;
    this.#sources.delete(source);
    this.#sources.set(source, { failures: count + 1, lastFailureAt: now });
    for (const [other, { lastFailureAt }] of this.#sources) {
      if (this.#sources.size <= maxSources && lastFailureAt >= now - resetAfterMs) break;
      this.#sources.delete(other);
    }
  }

  recordSuccess(source: string): void {
    this.#sources.delete(source);
  }
}

const waitAfter = (failures: number): number => Math.min(maxWaitMs, firstWaitMs * 2 ** (failures - freeAttempts));
