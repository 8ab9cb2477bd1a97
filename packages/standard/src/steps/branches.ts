import type { Exchange, Host, Processor } from "@sluice/engine/spi";
import { copyExchange } from "@sluice/engine/tools";
import type { Branch } from "./branch.ts";

/** Creates one copy per processor on demand, with the properties that multicast and recipientList set. */
export function* branchesOf(original: Exchange, runs: Iterator<Processor>, host: Host, shareUnitOfWork: boolean): Generator<Branch> {
  // Every branch starts with a copy of this message, even if `original.message` is replaced in the meantime.
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
