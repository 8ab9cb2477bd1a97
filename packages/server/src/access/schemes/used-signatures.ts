// Signatures that were already used, recorded as long as they could be replayed. Each flow has one set, which survives policy changes.
import type { Awaitable } from "@sluice/engine/spi";

/** The signatures that were already used. In a cluster, all nodes share them. */
export interface UsedSignatures {
  /** True when this signature was recorded before; otherwise records it for `forMs`. Rejects when it cannot be checked now. */
  checkAndRecord(signature: string, forMs: number): Awaitable<boolean>;
}

/** Beyond this number the oldest are dropped. */
const maxSignatures = 100_000;

export class MemorySignatures implements UsedSignatures {
  readonly #until = new Map<string, number>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  checkAndRecord(signature: string, forMs: number): boolean {
    const used = this.#until;
    const now = this.#monotonic();
    for (const [old, until] of used) {
      if (until > now && used.size < maxSignatures) break;
      used.delete(old);
    }
    if (used.has(signature)) return true;
    used.set(signature, now + forMs);
    return false;
  }
}
