import { CompileError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { strategyFields } from "./strategy-option.ts";

/** What split, multicast and recipientList have in common. */
export const fanOutFields = {
  ...strategyFields,
  parallelProcessing: f.boolean({ doc: "Runs up to ten copies at the same time; results are still merged in order.", default: false }),
  streaming: f.boolean({ doc: "Takes items as they come and, in parallel, merges in the order of completion.", default: false }),
  stopOnException: f.boolean({ doc: "Stops at the first failure instead of finishing the others.", default: false }),
  timeout: f.duration({ doc: "In parallel: copies that are not over by then are left out of the result; 0 waits for all.", default: 0 }),
  shareUnitOfWork: f.boolean({ doc: "Treats all copies as one: when one was dead-lettered, what follows does not run.", default: false, group: "advanced" }),
  parallelAggregate: f.boolean({ doc: "Accepted without effect: merging is never the bottleneck here.", default: false, group: "advanced" }),
  synchronous: f.boolean({ doc: "Accepted without effect.", default: false, group: "advanced" }),
  executorService: f.string({ doc: "Accepted without effect: there are no thread pools.", group: "advanced" }),
};

/** Refuses a timeout that could never leave anything out: one after the other, each copy is waited for. */
export function refuseIdleTimeout({ timeout, parallelProcessing }: { readonly timeout: number; readonly parallelProcessing: boolean }): void {
  if (timeout > 0 && !parallelProcessing)
    throw new CompileError("option-conflict", "timeout works with parallelProcessing only", {
      hint: "add parallelProcessing: true or remove timeout",
      option: "timeout",
    });
}
