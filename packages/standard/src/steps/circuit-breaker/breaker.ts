// The state of one circuit: closed while calls succeed, open when too many failed or were slow, half open for test calls.
import { CountWindow, TimeWindow, type CallWindow } from "./call-window.ts";

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

export class Breaker {
  state: BreakerState = "CLOSED";
  readonly #limits: BreakerLimits;
  readonly #now: () => number;
  #window: CallWindow;
  /** When the circuit became open or half open. */
  #changedAt = 0;
  /** Test calls permitted since the circuit became half open. */
  #permittedCalls = 0;

  constructor(limits: BreakerLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#window = this.#newWindow();
  }

  /** Whether a call is permitted; counts it when the circuit is half open. */
  permits(): boolean {
    const elapsedMs = this.#now() - this.#changedAt;
    const { maxWaitDurationInHalfOpenState: maxWaitMs } = this.#limits;
    if (this.state === "HALF_OPEN" && maxWaitMs > 0 && elapsedMs >= maxWaitMs) this.#transitionTo("OPEN");
    else if (this.state === "OPEN" && elapsedMs >= this.#limits.waitDurationInOpenState) this.#transitionTo("HALF_OPEN");
    if (this.state === "CLOSED") return true;
    if (this.state === "OPEN" || this.#permittedCalls >= this.#limits.permittedNumberOfCallsInHalfOpenState) return false;
    this.#permittedCalls++;
    return true;
  }

  record(failed: boolean, durationMs: number): void {
    if (this.state === "OPEN") return;
    const { permittedNumberOfCallsInHalfOpenState: permittedCalls, minimumNumberOfCalls, slidingWindowSize, slidingWindowType } = this.#limits;
    this.#window.add(failed, durationMs >= this.#limits.slowCallDurationThreshold);
    if (this.state === "HALF_OPEN") {
      if (this.#window.calls >= permittedCalls) this.#transitionTo(this.#exceedsThreshold() ? "OPEN" : "CLOSED");
      return;
    }
    const minimum = slidingWindowType === "COUNT_BASED" ? Math.min(minimumNumberOfCalls, slidingWindowSize) : minimumNumberOfCalls;
    if (this.#window.calls >= minimum && this.#exceedsThreshold()) this.#transitionTo("OPEN");
  }

  /** Ends a call that counts as neither success nor failure, and permits another test call in its place. */
  ignore(): void {
    // A call may have started before the circuit became half open.
    if (this.state === "HALF_OPEN" && this.#permittedCalls > 0) this.#permittedCalls--;
  }

  #transitionTo(state: BreakerState): void {
    this.state = state;
    this.#window = this.#newWindow();
    this.#permittedCalls = 0;
    this.#changedAt = this.#now();
  }

  #exceedsThreshold(): boolean {
    const { calls, failed, slow } = this.#window;
    return (100 * failed) / calls >= this.#limits.failureRateThreshold || (100 * slow) / calls >= this.#limits.slowCallRateThreshold;
  }

  #newWindow(): CallWindow {
    const { slidingWindowSize, slidingWindowType, permittedNumberOfCallsInHalfOpenState } = this.#limits;
    if (this.state === "HALF_OPEN") return new CountWindow(permittedNumberOfCallsInHalfOpenState);
    return slidingWindowType === "COUNT_BASED" ? new CountWindow(slidingWindowSize) : new TimeWindow(slidingWindowSize, this.#now);
  }
}
