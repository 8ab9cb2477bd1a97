import { copyExchange, type Exchange, type Host, type Processor } from "@sluice/engine/spi";
import type { Branch } from "./branch.ts";

/** One copy per processor, made when its turn comes, with the properties multicast and recipientList give. */
export function* branchesOf(original: Exchange, runs: Iterator<Processor>, host: Host, shareUnitOfWork: boolean): Generator<Branch> {
  // The message is taken once: branches that run at the same time must not see each other's changes to the original.
  const message = original.message;
  let index = 0;
  for (let current = runs.next(); current.done !== true; index++) {
    const next = runs.next();
    const copy = copyExchange(original, host.ids, { message: message.copy(), branch: true });
    if (!shareUnitOfWork && original.original !== undefined) copy.original = copy.message.copy();
    copy.setProperty("CamelMulticastIndex", index);
    copy.setProperty("CamelMulticastComplete", next.done === true);
    yield { copy, run: current.value };
    current = next;
  }
}
