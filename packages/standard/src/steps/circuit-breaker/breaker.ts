// The state of one circuit: closed while calls succeed, open when too many failed or were slow, half open for test calls.
export type BreakerState = "CLOSED" | "OPEN" | "HALF_OPEN";

export interface BreakerLimits {
  readonly failureRateThreshold: number;
  readonly slowCallRateThreshold: number;
  readonly slowCallDurationThreshold: number;
  readonly minimumNumberOfCalls: number;
  readonly slidingWindowSize: number;
  readonly slidingWindowType: "COUNT_BASED" | "TIME_BASED";
  readonly waitDurationInOpenState: number;
  readonly permittedNumberOfCallsInHalfOpenState: number;
  readonly maxWaitDurationInHalfOpenState: number;
}

interface Call {
  readonly at: number;
  readonly failed: boolean;
  readonly slow: boolean;
}

export class Breaker {
  state: BreakerState = "CLOSED";
  readonly #limits: BreakerLimits;
  readonly #now: () => number;
  #calls: Call[] = [];
  /** When it became open or half open. */
  #changedAt = 0;
  /** Test calls permitted since the circuit became half open. */
  #permittedCalls = 0;

  constructor(limits: BreakerLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Whether a call is permitted; counts it when the circuit is half open. */
  permits(): boolean {
    const since = this.#now() - this.#changedAt;
    const { maxWaitDurationInHalfOpenState: maxWaitMs } = this.#limits;
    if (this.state === "HALF_OPEN" && maxWaitMs > 0 && since >= maxWaitMs) this.#transitionTo("OPEN");
    else if (this.state === "OPEN" && since >= this.#limits.waitDurationInOpenState) this.#transitionTo("HALF_OPEN");
    if (this.state === "CLOSED") return true;
    if (this.state === "OPEN" || this.#permittedCalls >= this.#limits.permittedNumberOfCallsInHalfOpenState) return false;
    this.#permittedCalls++;
    return true;
  }

  record(failed: boolean, durationMs: number): void {
    if (this.state === "OPEN") return;
    this.#calls.push({ at: this.#now(), failed, slow: durationMs >= this.#limits.slowCallDurationThreshold });
    const { permittedNumberOfCallsInHalfOpenState: permittedCalls, minimumNumberOfCalls, slidingWindowSize, slidingWindowType } = this.#limits;
    if (this.state === "HALF_OPEN") {
      if (this.#calls.length >= permittedCalls) this.#transitionTo(this.#exceedsThreshold() ? "OPEN" : "CLOSED");
      return;
    }
    this.#evictOldCalls();
    const minimum = slidingWindowType === "COUNT_BASED" ? Math.min(minimumNumberOfCalls, slidingWindowSize) : minimumNumberOfCalls;
    if (this.#calls.length >= minimum && this.#exceedsThreshold()) this.#transitionTo("OPEN");
  }

  /** A call that counts neither as success nor as failure. */
  ignore(): void {
    // A call may have started before the circuit became half open.
    if (this.state === "HALF_OPEN" && this.#permittedCalls > 0) this.#permittedCalls--;
  }

  #transitionTo(state: BreakerState): void {
    this.state = state;
    this.#calls = [];
    this.#permittedCalls = 0;
    this.#changedAt = this.#now();
  }

  #exceedsThreshold(): boolean {
    const percent = (matches: (call: Call) => boolean): number => (100 * this.#calls.filter(matches).length) / this.#calls.length;
    return percent((call) => call.failed) >= this.#limits.failureRateThreshold || percent((call) => call.slow) >= this.#limits.slowCallRateThreshold;
  }

  #evictOldCalls(): void {
    const { slidingWindowSize, slidingWindowType } = this.#limits;
    if (slidingWindowType === "COUNT_BASED") {
      if (this.#calls.length > slidingWindowSize) this.#calls.shift();
      return;
    }
    const oldest = this.#now() - slidingWindowSize * 1000;
    while ((this.#calls[0]?.at ?? Infinity) < oldest) this.#calls.shift();
  }
}
