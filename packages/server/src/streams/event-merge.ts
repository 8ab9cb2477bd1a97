import type { Clock } from "@sluice/engine";
import type { StreamEvent } from "./stream-event.ts";

/** Maximum number of buffered events; beyond it the oldest are published early. */
const maxWaiting = 10_000;

/** Wall-clock time precise enough to order events of different processes on one machine. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}

/** Orders events of several processes by publishing them with a delay. */
export class EventMerge {
  readonly #windowMs: number;
  readonly #clock: Clock;
  readonly #publish: (event: StreamEvent) => void;
  #waiting: { readonly at: number; readonly event: StreamEvent }[] = [];
  #isScheduled = false;

  constructor(windowMs: number, clock: Clock, publish: (event: StreamEvent) => void) {
    this.#windowMs = windowMs;
    this.#clock = clock;
    this.#publish = publish;
  }

  /** `at` is `preciseNow` of the process where the event happened. */
  add(event: StreamEvent, at: number): void {
    let index = this.#waiting.length;
    while (index > 0 && (this.#waiting[index - 1] as { at: number }).at > at) index--;
    if (index === this.#waiting.length) this.#waiting.push({ at, event });
    else this.#waiting.splice(index, 0, { at, event });
    if (this.#waiting.length > maxWaiting) this.#release(maxWaiting / 2);
    this.#schedule();
  }

  /** Publishes everything now. */
  flush(): void {
    this.#release(this.#waiting.length);
  }

  #schedule(): void {
    const [oldest] = this.#waiting;
    if (this.#isScheduled || oldest === undefined) return;
    this.#isScheduled = true;
    this.#clock.after(Math.max(1, oldest.at + this.#windowMs - preciseNow()), () => {
      this.#isScheduled = false;
      const until = preciseNow() - this.#windowMs;
      const end = this.#waiting.findIndex(({ at }) => at > until);
      this.#release(end < 0 ? this.#waiting.length : end);
      this.#schedule();
    });
  }

  #release(count: number): void {
    for (const { event } of this.#waiting.splice(0, count)) this.#publish(event);
  }
}
