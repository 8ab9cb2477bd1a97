// Commits offsets in the background: records do not wait for the commit of earlier ones, and those settled meanwhile share the next commit.
import type { Clock } from "@sluice/engine/spi";

export class OffsetCommits {
  readonly #clock: Clock;
  readonly #retryMs: number;
  #commit: () => Promise<void> = () => Promise.resolve();
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isDue = false;
  #isClosed = false;
  #cancelRetry: (() => void) | undefined = undefined;

  /** `retryMs`: delay after a failed commit, unless another one is requested earlier. */
  constructor(clock: Clock, retryMs: number) {
    this.#clock = clock;
    this.#retryMs = retryMs;
  }

  /** Calls `commit` now or after the running commit. It must commit all offsets that are settled when it is called. */
  request(commit: () => Promise<void>): void {
    this.#commit = commit;
    this.#isDue = true;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    if (!this.#isRunning) this.#running = this.#run();
  }

  /** Resolves when all requested commits have ended. */
  idle(): Promise<void> {
    return this.#running;
  }

  /** Ends retries. */
  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isDue) {
        this.#isDue = false;
        await this.#commit();
      }
    } catch {
      // The group is rebalancing or the broker is unreachable, which the client reports. Uncommitted records are delivered again.
      this.#retryLater();
    }
    this.#isRunning = false;
  }

  #retryLater(): void {
    if (this.#isClosed || this.#cancelRetry !== undefined) return;
    this.#cancelRetry = this.#clock.after(this.#retryMs, () => {
      this.#cancelRetry = undefined;
      this.request(this.#commit);
    });
  }
}
