import { ending, type Exchange, type Host } from "@sluice/engine/spi";
import { cancelledError } from "@sluice/engine/tools";
import type { AggregationStrategy } from "../beans/aggregation-strategy.ts";
import { mergeResult } from "./merge-result.ts";

export interface FanOutOptions {
  readonly parallelProcessing: boolean;
  /** With parallel processing: merge in the order of completion. */
  readonly streaming: boolean;
  readonly stopOnException: boolean;
  /** Milliseconds; 0 for no limit. Only with parallel processing. */
  readonly timeout: number;
  readonly shareUnitOfWork: boolean;
  readonly strategy: AggregationStrategy;
  /** Called for each failed copy: true ignores the failure. May throw to stop. */
  readonly tolerate?: ((index: number, done: number) => boolean) | undefined;
  readonly host: Host;
}

/** Merges the results of finished copies with the strategy. */
export class ResultMerger {
  #result: Exchange | undefined = undefined;
  #stopped: Exchange | undefined = undefined;
  #done = 0;
  #sharedFailure = false;
  readonly #original: Exchange;
  readonly #options: FanOutOptions;

  constructor(original: Exchange, options: FanOutOptions) {
    this.#original = original;
    this.#options = options;
  }

  /** Merges a finished copy; false when no more copies are needed. */
  add(copy: Exchange, index: number): boolean {
    const { strategy, stopOnException, tolerate, shareUnitOfWork } = this.#options;
    this.#done++;
    if (this.#isCancelled(copy)) throw cancelledError(this.#original.run.signal);
    if (copy.failure !== undefined && tolerate?.(index, this.#done) === true) return true;
    const failed = copy.failure !== undefined || copy.ending === ending.handled || copy.ending === ending.rolledBack;
    if (stopOnException && failed) {
      this.#stopped = copy;
      return false;
    }
    if (shareUnitOfWork && failed) this.#sharedFailure = true;
    this.#result = strategy.aggregate(this.#result, copy, this.#original);
    return true;
  }

  /** Reports a copy that did not finish before the timeout. */
  timedOut(index: number): void {
    this.#options.strategy.timeout?.(this.#result, index);
  }

  finish(): void {
    const original = this.#original;
    const result = this.#stopped ?? this.#result;
    if (result === undefined) return;
    if (result === this.#result) this.#options.strategy.complete?.(result);
    // `stop` in a copy ends only that copy.
    mergeResult(original, result, { stops: false });
    if (this.#sharedFailure && original.ending === ending.none) original.ending = ending.handled;
  }

  #isCancelled(copy: Exchange): boolean {
    return copy.ending === ending.cancelled || this.#original.run.isCancelled;
  }
}
