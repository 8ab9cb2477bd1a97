// Runs copies of an exchange sequentially or in parallel and merges their results. split, multicast and
// recipientList create the copies.
import type { Awaitable, Clock, Exchange } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";
import { runBranch, type Branch, type Branches } from "./branch.ts";
import { runParallel } from "./fan-out-parallel.ts";
import { ResultMerger, type FanOutOptions } from "./result-merger.ts";
import { isAsync } from "./items.ts";
import { after } from "./settle.ts";

const sliceMs = 10;

/** Runs all branches and merges the result into `original`; throws the failure of the result. */
export function fanOut(original: Exchange, branches: Branches, options: FanOutOptions): Awaitable {
  const merger = new ResultMerger(original, options);
  const { clock } = options.host;
  if (options.parallelProcessing) return runParallel(branches, merger, options).then(() => merger.finish());
  // Sequential branches take part in the transaction of the original; concurrent ones cannot.
  const run = (branch: Branch): Awaitable => {
    branch.copy.unit = original.unit;
    return runBranch(branch);
  };
  if (isAsync(branches)) return runSequentially(branches, run, merger, clock).then(() => merger.finish());
  const all = each(branches, (branch, index) => after(run(branch), () => merger.add(branch.copy, index)), clock);
  return after(all, () => merger.finish());
}

async function runSequentially(branches: AsyncIterator<Branch>, run: (branch: Branch) => Awaitable, merger: ResultMerger, clock: Clock): Promise<void> {
  let index = 0;
  let sliceStart = clock.monotonic();
  try {
    for (let next = await branches.next(); next.done !== true; next = await branches.next()) {
      await run(next.value);
      if (!merger.add(next.value.copy, index++)) return;
      // A resolved promise does not yield to the event loop.
      if (clock.monotonic() - sliceStart > sliceMs) {
        await clock.yieldToEventLoop();
        sliceStart = clock.monotonic();
      }
    }
  } finally {
    await branches.return?.();
  }
}
