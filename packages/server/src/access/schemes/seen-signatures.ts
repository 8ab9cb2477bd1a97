// Signatures that were good once, within the time in which they could be sent again. One memory per flow: it outlives a
// change of the policy, and two schemes with one secret share it.

/** What comes after pushes the oldest out. */
const maxSeen = 100_000;

export class SeenSignatures {
  readonly #until = new Map<string, number>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** True when this signature was noted before; notes it for this long otherwise. */
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
