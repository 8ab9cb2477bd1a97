// Commits offsets in the background: records do not wait for the commit of earlier ones, and those settled meanwhile share the next commit.
import type { Clock } from "@sluice/engine/spi";
import { withTimeout } from "../messaging/incoming.ts";

/** Minimum time between two commits: a commit costs as much CPU time as dozens of records, and a batch may contain only a few. */
const gapMs = 100;

export class OffsetCommits {
  readonly #clock: Clock;
  readonly #retryMs: number;
  readonly #timeoutMs: number;
  #commit: () => Promise<void> = () => Promise.resolve();
  #running: Promise<void> | undefined = undefined;
  #isDue = false;
  #isClosed = false;
  #nextAt = 0;
  #cancelWait: (() => void) | undefined = undefined;

  /** `retryMs`: delay after a failed commit, unless another one is requested earlier. `timeoutMs`: when a commit without a response counts as failed. */
  constructor(clock: Clock, retryMs: number, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#retryMs = Math.max(retryMs, gapMs);
  }

  /** Calls `commit` soon. It must commit all offsets that are settled when it is called. */
  request(commit: () => Promise<void>): void {
    this.#commit = commit;
    this.#isDue = true;
    if (this.#running === undefined) this.#runAfter(this.#nextAt - this.#clock.monotonic());
  }

  /** Executes a requested commit now; resolves when it has ended. */
  async flush(): Promise<void> {
    await this.#running;
    if (this.#isDue) await this.#run();
  }

  /** Executes a requested commit now and schedules no further ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  #runAfter(waitMs: number): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    if (waitMs <= 0) void this.#run();
    else if (!this.#isClosed) this.#cancelWait = this.#clock.after(waitMs, () => void this.#run());
  }

  #run(): Promise<void> {
    this.#running ??= this.#commitOnce().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #commitOnce(): Promise<void> {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#isDue = false;
    this.#nextAt = this.#clock.monotonic() + gapMs;
    try {
      await withTimeout(this.#clock, this.#timeoutMs, this.#commit(), () => new Error(`no response within ${this.#timeoutMs} ms`));
      if (this.#isDue) this.#runAfter(gapMs);
    } catch {
      // The group is rebalancing or the broker is unreachable, which the client reports. Uncommitted records are delivered again.
      this.#runAfter(this.#retryMs);
    }
  }
}
