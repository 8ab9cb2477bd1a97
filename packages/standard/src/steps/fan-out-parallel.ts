// Runs branches concurrently. Bounds how many run and how many finished results wait for an earlier one.
import type { Awaitable, Exchange } from "@sluice/engine/spi";
import { runBranch, type Branch, type Branches } from "./branch.ts";
import type { FanOutOptions, Gathering } from "./gathering.ts";

/** Concurrent branches per exchange. */
const branchesAtOnce = 10;
/** Finished branches that may wait for an earlier one to be merged in order. */
const readAhead = 1000;
const sliceMs = 10;

export async function runParallel(branches: Branches, gathering: Gathering, options: FanOutOptions): Promise<void> {
  const { clock } = options.host;
  const inbox = new Inbox(gathering, options.streaming);
  let timeUp = false;
  const cancel =
    options.timeout > 0
      ? clock.after(options.timeout, () => {
          timeUp = true;
          inbox.wake();
        })
      : undefined;
  try {
    let began = clock.monotonic();
    while (!timeUp && inbox.needsMore) {
      const pending: Awaitable<IteratorResult<Branch>> = branches.next();
      const next = pending instanceof Promise ? await pending : pending;
      if (next.done === true) break;
      inbox.launch(next.value);
      while (!timeUp && inbox.isFull) await inbox.change();
      if (clock.monotonic() - began > sliceMs) {
        await clock.yieldToEventLoop();
        began = clock.monotonic();
      }
    }
    while (!timeUp && inbox.running > 0) await inbox.change();
    inbox.close();
  } finally {
    cancel?.();
  }
}

/** Running branches, and finished ones that wait to be merged in order. */
class Inbox {
  running = 0;
  needsMore = true;
  #launched = 0;
  #turn = 0;
  #problem: { readonly thrown: unknown } | undefined = undefined;
  #closed = false;
  #waiting: (() => void) | undefined = undefined;
  readonly #over = new Map<number, Exchange>();
  readonly #gathering: Gathering;
  readonly #inCompletionOrder: boolean;

  constructor(gathering: Gathering, inCompletionOrder: boolean) {
    this.#gathering = gathering;
    this.#inCompletionOrder = inCompletionOrder;
  }

  get isFull(): boolean {
    return this.running >= branchesAtOnce || this.#over.size >= readAhead;
  }

  launch(branch: Branch): void {
    const index = this.#launched++;
    this.running++;
    const pending = runBranch(branch);
    if (pending instanceof Promise) void pending.then(() => this.#done(branch.copy, index));
    else this.#done(branch.copy, index);
  }

  /** Resolves when a branch finishes or `wake` is called. */
  change(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.#waiting = resolve;
    });
  }

  wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  /** Merges finished branches, reports unfinished ones as missed, and rethrows an error of the strategy. */
  close(): void {
    for (let index = this.#turn; index < this.#launched && this.needsMore; index++) {
      const copy = this.#over.get(index);
      if (copy !== undefined) this.#merge(copy, index);
      else if (this.running > 0 && !this.#inCompletionOrder) this.#gathering.missed(index);
    }
    this.#closed = true;
    if (this.#problem !== undefined) throw this.#problem.thrown;
  }

  #done(copy: Exchange, index: number): void {
    if (this.#closed) return;
    this.running--;
    if (this.#inCompletionOrder) this.#merge(copy, index);
    else {
      this.#over.set(index, copy);
      for (let next = this.#over.get(this.#turn); next !== undefined; next = this.#over.get(this.#turn)) {
        this.#over.delete(this.#turn);
        this.#merge(next, this.#turn++);
      }
    }
    this.wake();
  }

  #merge(copy: Exchange, index: number): void {
    if (!this.needsMore) return;
    try {
      if (!this.#gathering.take(copy, index)) this.needsMore = false;
    } catch (thrown) {
      this.needsMore = false;
      this.#problem = { thrown };
    }
  }
}
