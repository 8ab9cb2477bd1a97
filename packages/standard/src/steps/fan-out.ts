// Runs copies of an exchange sequentially or in parallel and merges their results. The copies are made by split, multicast
// and recipientList.
import type { Awaitable, Clock, Exchange } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";
import { runBranch, type Branch, type Branches } from "./branch.ts";
import { runParallel } from "./fan-out-parallel.ts";
import { Gathering, type FanOutOptions } from "./gathering.ts";
import { isAsync } from "./items.ts";
import { after } from "./settle.ts";

const sliceMs = 10;

/** Runs all branches and merges the result into `original`; throws the failure of the result. */
export function fanOut(original: Exchange, branches: Branches, options: FanOutOptions): Awaitable {
  const gathering = new Gathering(original, options);
  const { clock } = options.host;
  if (options.parallelProcessing) return runParallel(branches, gathering, options).then(() => gathering.finish());
  // Sequential branches take part in the transaction of the original; concurrent ones cannot.
  const run = (branch: Branch): Awaitable => {
    branch.copy.unit = original.unit;
    return runBranch(branch);
  };
  if (isAsync(branches)) return oneByOneLater(branches, run, gathering, clock).then(() => gathering.finish());
  const all = each(branches, (branch, index) => after(run(branch), () => gathering.take(branch.copy, index)), clock);
  return after(all, () => gathering.finish());
}

async function oneByOneLater(branches: AsyncIterator<Branch>, run: (branch: Branch) => Awaitable, gathering: Gathering, clock: Clock): Promise<void> {
  let index = 0;
  let began = clock.monotonic();
  for (let next = await branches.next(); next.done !== true; next = await branches.next()) {
    await run(next.value);
    if (!gathering.take(next.value.copy, index++)) {
      await branches.return?.();
      return;
    }
    // A resolved promise does not yield to the event loop.
    if (clock.monotonic() - began > sliceMs) {
      await clock.yieldToEventLoop();
      began = clock.monotonic();
    }
  }
}
