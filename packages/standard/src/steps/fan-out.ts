// One exchange becomes many: runs the copies one by one or several at once and merges what comes back.
// What a copy is made of is the business of split, multicast and recipientList.
import { each, type Awaitable, type Clock, type Exchange } from "@sluice/engine/spi";
import { runBranch, type Branch, type Branches } from "./branch.ts";
import { runParallel } from "./fan-out-parallel.ts";
import { Gathering, type FanOutOptions } from "./gathering.ts";
import { isAsync } from "./items.ts";
import { after } from "./settle.ts";

const sliceMs = 10;

/** Runs all branches and merges the result into `original`; throws what the result failed with. */
export function fanOut(original: Exchange, branches: Branches, options: FanOutOptions): Awaitable {
  const gathering = new Gathering(original, options);
  const { clock } = options.host;
  if (options.parallelProcessing) return runParallel(branches, gathering, options).then(() => gathering.finish());
  if (isAsync(branches)) return oneByOneLater(branches, gathering, clock).then(() => gathering.finish());
  const all = each(branches, (branch, index) => after(runBranch(branch), () => gathering.take(branch.copy, index)), clock);
  return after(all, () => gathering.finish());
}

async function oneByOneLater(branches: AsyncIterator<Branch>, gathering: Gathering, clock: Clock): Promise<void> {
  let index = 0;
  let began = clock.monotonic();
  for (let next = await branches.next(); next.done !== true; next = await branches.next()) {
    await runBranch(next.value);
    if (!gathering.take(next.value.copy, index++)) {
      await branches.return?.();
      return;
    }
    // A promise that is kept at once lets nobody else have a turn.
    if (clock.monotonic() - began > sliceMs) {
      await clock.breathe();
      began = clock.monotonic();
    }
  }
}
