import { ServiceError } from "../service-error.ts";

/** One memory budget for the request bytes of all connections. Every successful `take` needs a matching `release`. */
export class HeldBytes {
  readonly limit: number;
  #held = 0;
  /** Requests rejected because the budget was exhausted. */
  refused = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  hasRoom(bytes: number): boolean {
    return this.#held + bytes <= this.limit;
  }

  /** Returns false and takes nothing when the budget is exhausted. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.limit) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }

  /** Counts a rejected request and returns the error for it. */
  overloadError(): ServiceError {
    this.refused++;
    return new ServiceError("saturated", "too many request bytes are in memory", { "Retry-After": "1" });
  }
}
