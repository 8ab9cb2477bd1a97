// Runs detached copies: each starts in its own turn of the event loop, concurrency is limited, and long queues yield in between.
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
  readonly #atOnce: number;
  #line: Task[] = [];
  #next = 0;
  #running = 0;
  #starting = false;

  constructor(clock: Clock, atOnce: number) {
    this.#clock = clock;
    this.#atOnce = atOnce;
  }

  get isFull(): boolean {
    return this.#line.length - this.#next >= maxQueued;
  }

  add(task: Task): void {
    this.#line.push(task);
    this.#startSome();
  }

  #startSome(): void {
    if (this.#starting || this.#running >= this.#atOnce) return;
    this.#starting = true;
    void this.#start().finally(() => {
      this.#starting = false;
      if (this.#next < this.#line.length) this.#startSome();
    });
  }

  async #start(): Promise<void> {
    await Promise.resolve();
    let began = this.#clock.monotonic();
    for (let task = this.#take(); task !== undefined; task = this.#take()) {
      const pending = task.copy.run.isCancelled ? undefined : task.run();
      if (pending !== undefined) this.#await(pending);
      if (this.#clock.monotonic() - began > sliceMs) {
        await this.#clock.yieldToEventLoop();
        began = this.#clock.monotonic();
      }
    }
  }

  #await(pending: Promise<void>): void {
    this.#running++;
    void pending.then(() => {
      this.#running--;
      this.#startSome();
    });
  }

  #take(): Task | undefined {
    if (this.#running >= this.#atOnce) return undefined;
    const task = this.#line[this.#next];
    if (task === undefined) return undefined;
    this.#next++;
    if (this.#next === this.#line.length || this.#next > 10_000) {
      this.#line = this.#line.slice(this.#next);
      this.#next = 0;
    }
    return task;
  }
}
