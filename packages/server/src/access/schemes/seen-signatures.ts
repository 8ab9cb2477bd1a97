// Signatures already used, stored while they could be replayed. Shared per flow: the set survives policy changes, and schemes with the same secret
// share it.

/** Beyond this number the oldest are dropped. */
const maxSeen = 100_000;

export class SeenSignatures {
  readonly #until = new Map<string, number>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** True when this signature was recorded before; otherwise records it for `forMs`. */
  has(signature: string, forMs: number): boolean {
    const seen = this.#until;
    const now = this.#monotonic();
    for (const [old, until] of seen) {
      if (until > now && seen.size < maxSeen) break;
      seen.delete(old);
    }
    if (seen.has(signature)) return true;
    seen.set(signature, now + forMs);
    return false;
  }
}
