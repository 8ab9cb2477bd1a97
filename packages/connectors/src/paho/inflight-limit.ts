import { cancelledError } from "@sluice/engine/tools";

/** Limits the number of messages that wait for a confirmation. Further messages wait for a permit, in order. */
export class InflightLimit {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(max: number) {
    this.#free = max;
  }

  /** Runs `send` with a permit; rejects when the signal is aborted before there is one. */
  async run(signal: AbortSignal, send: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      await send();
    } finally {
      // A waiting message takes over the permit.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelledError(signal));
      const admit = (): void => {
        signal.removeEventListener("abort", cancel);
        resolve();
      };
      const cancel = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(admit), 1);
        reject(cancelledError(signal));
      };
      signal.addEventListener("abort", cancel, { once: true });
      this.#waiting.push(admit);
    });
  }
}
