// Runs branches concurrently. Limits how many run, and how many finished results wait for an earlier branch.
import type { Awaitable, Exchange } from "@sluice/engine/spi";
import { runBranch, type Branch, type Branches } from "./branch.ts";
import type { FanOutOptions, ResultMerger } from "./result-merger.ts";

/** Concurrent branches per exchange. */
const maxConcurrentBranches = 10;
/** Maximum number of finished branches that wait for an earlier branch, because results are merged in order. */
const maxUnmergedResults = 1000;
const sliceMs = 10;

export async function runParallel(branches: Branches, merger: ResultMerger, options: FanOutOptions): Promise<void> {
  const { clock } = options.host;
  const pool = new BranchPool(merger, options.streaming);
  let timedOut = false;
  const cancel =
    options.timeout > 0
      ? clock.after(options.timeout, () => {
          timedOut = true;
          pool.wake();
        })
      : undefined;
  try {
    let sliceStart = clock.monotonic();
    while (!timedOut && pool.needsMore) {
      const pending: Awaitable<IteratorResult<Branch>> = branches.next();
      const next = pending instanceof Promise ? await pending : pending;
      if (next.done === true) break;
      pool.launch(next.value);
      while (!timedOut && pool.isFull) await pool.change();
      if (clock.monotonic() - sliceStart > sliceMs) {
        await clock.yieldToEventLoop();
        sliceStart = clock.monotonic();
      }
    }
    while (!timedOut && pool.running > 0) await pool.change();
    pool.close();
  } finally {
    cancel?.();
    await branches.return?.();
  }
}

/** The running branches, and the finished branches that wait to be merged in order. */
class BranchPool {
  running = 0;
  needsMore = true;
  #launched = 0;
  #nextIndex = 0;
  #strategyError: { readonly thrown: unknown } | undefined = undefined;
  #isClosed = false;
  #notify: (() => void) | undefined = undefined;
  readonly #finished = new Map<number, Exchange>();
  readonly #merger: ResultMerger;
  readonly #inCompletionOrder: boolean;

  constructor(merger: ResultMerger, inCompletionOrder: boolean) {
    this.#merger = merger;
    this.#inCompletionOrder = inCompletionOrder;
  }

  get isFull(): boolean {
    return this.running >= maxConcurrentBranches || this.#finished.size >= maxUnmergedResults;
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
      this.#notify = resolve;
    });
  }

  wake(): void {
    this.#notify?.();
    this.#notify = undefined;
  }

  /** Merges the finished branches, reports the unfinished ones as timed out, and rethrows an error of the strategy. */
  close(): void {
    for (let index = this.#nextIndex; index < this.#launched && this.needsMore; index++) {
      const copy = this.#finished.get(index);
      if (copy !== undefined) this.#merge(copy, index);
      else if (this.running > 0 && !this.#inCompletionOrder) this.#merger.timedOut(index);
    }
    this.#isClosed = true;
    if (this.#strategyError !== undefined) throw this.#strategyError.thrown;
  }

  #done(copy: Exchange, index: number): void {
    if (this.#isClosed) return;
    this.running--;
    if (this.#inCompletionOrder) this.#merge(copy, index);
    else {
      this.#finished.set(index, copy);
      for (let next = this.#finished.get(this.#nextIndex); next !== undefined; next = this.#finished.get(this.#nextIndex)) {
        this.#finished.delete(this.#nextIndex);
        this.#merge(next, this.#nextIndex++);
      }
    }
    this.wake();
  }

  #merge(copy: Exchange, index: number): void {
    if (!this.needsMore) return;
    try {
      if (!this.#merger.add(copy, index)) this.needsMore = false;
    } catch (error) {
      this.needsMore = false;
      this.#strategyError = { thrown: error };
    }
  }
}
