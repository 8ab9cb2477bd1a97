// Responses by Idempotency-Key, so that a repeated request gets the first response and no second run. Stored in memory, bounded by number, age and
// bytes; the oldest are evicted first. Responses of 500 and above are not stored, because retrying after a failure is the purpose of the key.
import type { Clock, HttpReply } from "@sluice/engine/spi";

interface Entry {
  readonly fingerprint: string;
  readonly at: number;
  reply: HttpReply | undefined;
  bytes: number;
}

export interface IdempotencyBounds {
  readonly keys: number;
  readonly ageMs: number;
  readonly bytes: number;
}

const defaultBounds: IdempotencyBounds = { keys: 10_000, ageMs: 86_400_000, bytes: 67_108_864 };

/** Collision-resistant digest. */
export type Digest = (bytes: Uint8Array) => string;

export type Claim =
  | { readonly kind: "new" }
  | { readonly kind: "running" }
  | { readonly kind: "differs" }
  | { readonly kind: "known"; readonly reply: HttpReply };

export class IdempotencyKeys {
  readonly #clock: Clock;
  readonly #digest: Digest;
  readonly #bounds: IdempotencyBounds;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(clock: Clock, digest: Digest, bounds: IdempotencyBounds = defaultBounds) {
    this.#clock = clock;
    this.#digest = digest;
    this.#bounds = bounds;
  }

  /** Claims the key for a new run, or returns its state. */
  claim(key: string, body: Uint8Array): Claim {
    this.#expire();
    const fingerprint = this.#digest(body);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { fingerprint, at: this.#clock.monotonic(), reply: undefined, bytes: 0 });
      if (this.#entries.size > this.#bounds.keys) this.#dropOldest();
      return { kind: "new" };
    }
    if (entry.fingerprint !== fingerprint) return { kind: "differs" };
    return entry.reply === undefined ? { kind: "running" } : { kind: "known", reply: entry.reply };
  }

  /** Stores the response of a run, or releases the key when the response must not be repeated, e.g. because a mock was involved. */
  settle(key: string, reply: HttpReply, isLive = true): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { body } = reply;
    const isMocked = isLive && reply.headers?.["X-Mocked"] !== undefined;
    if (isMocked || reply.status >= 500 || (typeof body === "object" && !(body instanceof Uint8Array))) {
      this.#drop(key);
      return;
    }
    entry.reply = reply;
    entry.bytes = typeof body === "string" ? body.length : (body?.byteLength ?? 0);
    this.#bytes += entry.bytes;
    while (this.#bytes > this.#bounds.bytes) this.#dropOldest();
  }

  get size(): number {
    return this.#entries.size;
  }

  #expire(): void {
    const limit = this.#clock.monotonic() - this.#bounds.ageMs;
    for (const [key, entry] of this.#entries) {
      if (entry.at > limit) return;
      this.#drop(key);
    }
  }

  #dropOldest(): void {
    this.#drop(this.#entries.keys().next().value as string);
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
