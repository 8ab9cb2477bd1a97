// Limits password guessing: after a few wrong passwords a source must wait, with exponential back-off. Other sources are unaffected.
import { HttpError } from "./http-error.ts";

const freeTries = 5;
const firstWaitMs = 1000;
const maxWaitMs = 5 * 60_000;
/** The count of a source is reset after this time without attempts. */
const resetAfterMs = 30 * 60_000;
const maxSources = 10_000;

interface Tries {
  readonly wrong: number;
  readonly at: number;
}

export class GuessLimit {
  /** Ordered by the last wrong password. */
  readonly #sources = new Map<string, Tries>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Rejects a source that must still wait. */
  assertMayTry(source: string): void {
    const tries = this.#sources.get(source);
    if (tries === undefined || tries.wrong < freeTries) return;
    const left = tries.at + waitAfter(tries.wrong) - this.#now();
    if (left <= 0) return;
    const seconds = Math.ceil(left / 1000);
    throw new HttpError(429, `too many wrong passwords from your address: wait ${seconds} s`, {}, { "retry-after": String(seconds) });
  }

  wrong(source: string): void {
    const now = this.#now();
    const before = this.#sources.get(source);
    const count = before === undefined || before.at < now - resetAfterMs ? 0 : before.wrong;
    this.#sources.delete(source);
    this.#sources.set(source, { wrong: count + 1, at: now });
    for (const [other, { at }] of this.#sources) {
      if (this.#sources.size <= maxSources && at >= now - resetAfterMs) break;
      this.#sources.delete(other);
    }
  }

  right(source: string): void {
    this.#sources.delete(source);
  }
}

const waitAfter = (wrong: number): number => Math.min(maxWaitMs, firstWaitMs * 2 ** (wrong - freeTries));
