// Token buckets by key, limited in number: each has up to `capacity` tokens and gains one every `refillMs`.

export interface BucketSettings {
  readonly capacity: number;
  readonly refillMs: number;
  readonly maxKeys: number;
  /** Monotonic time in milliseconds. */
  monotonic(): number;
  /** Called when `take` takes the last token of a key. */
  emptied?(key: string): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Number of buckets checked when one must be removed. */
const maxChecked = 16;

export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();
  readonly #settings: BucketSettings;

  constructor(settings: BucketSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes a token; returns 0 if there was one, otherwise the milliseconds until the next. */
  take(key: string): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= this.#settings.maxKeys) this.#makeRoom();
      const tokens = this.#settings.capacity - 1;
      this.#buckets.set(key, { tokens, at: this.#settings.monotonic() });
      if (tokens < 1) this.#settings.emptied?.(key);
      return 0;
    }
    this.#refill(bucket);
    if (bucket.tokens < 1) return this.#waitOf(bucket);
    if (--bucket.tokens < 1) this.#settings.emptied?.(key);
    return 0;
  }

  /** Takes all tokens. */
  empty(key: string): void {
    if (!this.#buckets.has(key) && this.#buckets.size >= this.#settings.maxKeys) this.#makeRoom();
    this.#buckets.set(key, { tokens: 0, at: this.#settings.monotonic() });
  }

  /** Returns what `take` would, without taking a token. */
  waitMs(key: string): number {
    const bucket = this.#buckets.size === 0 ? undefined : this.#buckets.get(key);
    if (bucket === undefined) return 0;
    this.#refill(bucket);
    return bucket.tokens < 1 ? this.#waitOf(bucket) : 0;
  }

  refund(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return;
    bucket.tokens = Math.min(this.#settings.capacity, bucket.tokens + 1);
    if (bucket.tokens >= this.#settings.capacity) this.#buckets.delete(key);
  }

  #waitOf(bucket: Bucket): number {
    return Math.max(1, (1 - bucket.tokens) * this.#settings.refillMs);
  }

  #refill(bucket: Bucket): void {
    const { capacity, refillMs, monotonic } = this.#settings;
    const now = monotonic();
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.at) / refillMs);
    bucket.at = now;
  }

  /** Removes a full bucket, which is equal to a new one; if none of the oldest is full, removes the oldest. */
  #makeRoom(): void {
    let oldest: string | undefined;
    let checked = 0;
    for (const [key, bucket] of this.#buckets) {
      oldest ??= key;
      this.#refill(bucket);
      if (bucket.tokens >= this.#settings.capacity) {
        this.#buckets.delete(key);
        return;
      }
      if (++checked >= maxChecked) break;
    }
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

/** Whole seconds for `Retry-After`. */
export const retryAfter = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)));
