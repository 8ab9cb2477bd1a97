// Counts messages and periodically logs the throughput.
import type { Clock, Sink } from "@sluice/engine/spi";

export interface ThroughputOptions {
  readonly groupSize: number | undefined;
  readonly groupInterval: number | undefined;
  readonly groupDelay: number;
  readonly groupActiveOnly: boolean;
}

export class Throughput implements Sink {
  readonly #clock: Clock;
  readonly #write: (text: string) => void;
  readonly #options: ThroughputOptions;
  #total = 0;
  #firstAt: number | undefined = undefined;
  #groupCount = 0;
  #groupAt = 0;
  #cancel: (() => void) | undefined = undefined;

  constructor(clock: Clock, write: (text: string) => void, options: ThroughputOptions) {
    this.#clock = clock;
    this.#write = write;
    this.#options = options;
  }

  readonly send = (): undefined => {
    const now = this.#clock.monotonic();
    if (this.#firstAt === undefined) {
      this.#firstAt = now;
      this.#groupAt = now;
    }
    this.#total++;
    this.#groupCount++;
    if (this.#options.groupInterval === undefined && this.#groupCount === this.#options.groupSize) this.#summarize(now);
  };

  start(): void {
    const { groupInterval, groupDelay } = this.#options;
    this.stop();
    if (groupInterval === undefined || !(groupInterval > 0)) return;
    const tick = (): void => {
      this.#cancel = this.#clock.after(groupInterval, tick);
      if (this.#groupCount > 0 || !this.#options.groupActiveOnly) this.#summarize(this.#clock.monotonic());
    };
    this.#cancel = this.#clock.after(groupDelay + groupInterval, tick);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #summarize(now: number): void {
    const groupMs = now - this.#groupAt;
    const totalMs = now - (this.#firstAt ?? now);
    const group = `Received: ${this.#groupCount} new messages, with total ${this.#total} so far. Last group took: ${Math.round(groupMs)} millis`;
    this.#write(`${group} which is: ${perSecond(this.#groupCount, groupMs)} messages per second. average: ${perSecond(this.#total, totalMs)}`);
    this.#groupAt = now;
    this.#groupCount = 0;
  }
}

function perSecond(count: number, ms: number): string {
  return ms > 0 ? ((count * 1000) / ms).toFixed(3) : String(count);
}
