// Replies kept by Idempotency-Key, so that a caller who repeats a request gets the first one's reply and no second run.
// Kept in memory, within bounds of number, age and bytes; the oldest go first. Replies of 500 and above are not kept:
// repeating after a failure is what the key is for.
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

/** A short text that only equal bytes have in common. */
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

  /** Takes the key for a new run, or tells what became of it. */
  claim(key: string, body: Uint8Array): Claim {
    this.#expire();
    const fingerprint = this.#digest(body);
    const known = this.#entries.get(key);
    if (known === undefined) {
      this.#entries.set(key, { fingerprint, at: this.#clock.monotonic(), reply: undefined, bytes: 0 });
      if (this.#entries.size > this.#bounds.keys) this.#dropOldest();
      return { kind: "new" };
    }
    if (known.fingerprint !== fingerprint) return { kind: "differs" };
    return known.reply === undefined ? { kind: "running" } : { kind: "known", reply: known.reply };
  }

  /** Keeps the reply of a run, or frees the key when it is none that may be repeated: for live callers, one that a mock had a part in. */
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
