// One exchange becomes many: runs the copies one by one or several at once and merges what comes back.
// What a copy is made of is the business of split, multicast and recipientList.
import { cancelledError, each, ending, type Awaitable, type Exchange, type Host, type Processor } from "@sluice/engine/spi";
import type { AggregationStrategy } from "../beans/aggregation-strategy.ts";
import { runParallel } from "./fan-out-parallel.ts";
import { isAsync } from "./items.ts";
import { mergeResult } from "./merge-result.ts";
import { settle, after } from "./settle.ts";
import { endCopy } from "./when-over.ts";

/** One copy and what is to run with it. */
export interface Branch {
  readonly copy: Exchange;
  readonly run: Processor;
}

export type Branches = Iterator<Branch> | AsyncIterator<Branch>;

export interface FanOutOptions {
  readonly parallelProcessing: boolean;
  /** In parallel, merges in the order of completion. */
  readonly streaming: boolean;
  readonly stopOnException: boolean;
  /** Milliseconds; 0 waits as long as it takes. Only in parallel. */
  readonly timeout: number;
  readonly shareUnitOfWork: boolean;
  readonly strategy: AggregationStrategy;
  /** Asked for every failed copy: true keeps the failure out of the result. May throw to give up. */
  readonly tolerate?: ((index: number, done: number) => boolean) | undefined;
  readonly host: Host;
}

/** Runs a copy to its end; a failure stays with the copy, because the other copies still have their turn. */
export function runBranch({ copy, run }: Branch): Awaitable {
  return settle(
    () => run(copy),
    () => endCopy(copy),
    (error) => {
      error.stepId ??= copy.at?.id;
      error.routeId ??= copy.run.route.id;
      copy.failure = error;
      endCopy(copy);
    },
  );
}

/** Runs all branches and merges the result into `original`; throws what the result failed with. */
export function fanOut(original: Exchange, branches: Branches, options: FanOutOptions): Awaitable {
  const gathering = new Gathering(original, options);
  const { clock } = options.host;
  if (options.parallelProcessing) return runParallel(branches, gathering, options).then(() => gathering.finish());
  if (isAsync(branches)) return oneByOneLater(branches, gathering).then(() => gathering.finish());
  const all = each(branches, (branch, index) => after(runBranch(branch), () => gathering.take(branch.copy, index)), clock);
  return after(all, () => gathering.finish());
}

async function oneByOneLater(branches: AsyncIterator<Branch>, gathering: Gathering): Promise<void> {
  let index = 0;
  for (let next = await branches.next(); next.done !== true; next = await branches.next()) {
    await runBranch(next.value);
    if (!gathering.take(next.value.copy, index++)) {
      await branches.return?.();
      return;
    }
  }
}

/** Merges copies as they come in. */
export class Gathering {
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

  /** Takes a finished copy; false when no further one is wanted. */
  take(copy: Exchange, index: number): boolean {
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

  /** A copy that was left out because time was up. */
  missed(index: number): void {
    this.#options.strategy.timeout?.(this.#result, index);
  }

  finish(): void {
    const original = this.#original;
    const result = this.#stopped ?? this.#result;
    if (result === undefined) return;
    if (result === this.#result) this.#options.strategy.complete?.(result);
    // `stop` in a copy stops only that copy.
    mergeResult(original, result, { stops: false });
    if (this.#sharedFailure && original.ending === ending.none) original.ending = ending.handled;
  }

  #isCancelled(copy: Exchange): boolean {
    return copy.ending === ending.cancelled || this.#original.run.root.status === "cancelled";
  }
}
