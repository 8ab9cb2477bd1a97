// Runs detached copies: never within the call that adds them, with limited concurrency, and yielding to the event loop while many are started.
import type { Exchange } from "../exchange/exchange.ts";
import type { Clock } from "../spi/host.ts";
import type { Awaitable } from "../spi/processor.ts";

/** Maximum queued copies; more are rejected, because their producer never waits. */
const maxQueued = 100_000;
const sliceMs = 10;

interface Task {
  readonly copy: Exchange;
  /** Never throws or rejects: failures are reported by the copy's own run. */
  readonly run: () => Awaitable;
}

export class DetachedWork {
  readonly #clock: Clock;
  readonly #maxConcurrent: number;
  #queue: Task[] = [];
  #next = 0;
  #running = 0;
  #starting = false;

  constructor(clock: Clock, maxConcurrent: number) {
    this.#clock = clock;
    this.#maxConcurrent = maxConcurrent;
  }

  get isFull(): boolean {
    return this.#queue.length - this.#next >= maxQueued;
  }

  add(task: Task): void {
    this.#queue.push(task);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#starting || this.#running >= this.#maxConcurrent) return;
    this.#starting = true;
    void this.#start().finally(() => {
      this.#starting = false;
      if (this.#next < this.#queue.length) this.#schedule();
    });
  }

  async #start(): Promise<void> {
    await Promise.resolve();
    let startedAt = this.#clock.monotonic();
    for (let task = this.#dequeue(); task !== undefined; task = this.#dequeue()) {
      const pending = task.copy.run.isCancelled ? undefined : task.run();
      if (pending !== undefined) this.#await(pending);
      if (this.#clock.monotonic() - startedAt > sliceMs) {
        await this.#clock.yieldToEventLoop();
        startedAt = this.#clock.monotonic();
      }
    }
  }

  #await(pending: Promise<void>): void {
    this.#running++;
    void pending.then(() => {
      this.#running--;
      this.#schedule();
    });
  }

  #dequeue(): Task | undefined {
    if (this.#running >= this.#maxConcurrent) return undefined;
    const task = this.#queue[this.#next];
    if (task === undefined) return undefined;
    this.#next++;
    if (this.#next === this.#queue.length || this.#next > 10_000) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
    return task;
  }
}
