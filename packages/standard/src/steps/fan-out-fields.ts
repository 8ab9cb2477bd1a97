import { CompileError } from "@sluice/engine/spi";
import { f } from "@sluice/model";
import { strategyFields } from "./strategy-option.ts";

/** Options that split, multicast and recipientList share. */
export const fanOutFields = {
  ...strategyFields,
  parallelProcessing: f.boolean({ doc: "Runs up to ten copies concurrently; results are still merged in order.", default: false }),
  streaming: f.boolean({ doc: "Reads items on demand; with parallelProcessing, merges results in the order of completion.", default: false }),
  stopOnException: f.boolean({ doc: "Stops at the first failure instead of running the remaining copies.", default: false }),
  timeout: f.duration({
    doc: "Maximum time for all copies; requires parallelProcessing. Unfinished copies are omitted from the result. 0 means no limit.",
    default: 0,
  }),
  shareUnitOfWork: f.boolean({
    doc: "Treats all copies as one unit of work: if a copy fails, the following steps do not run, even if the failure was handled.",
    default: false,
    group: "advanced",
  }),
  parallelAggregate: f.boolean({ doc: "Accepted but ignored: results are always merged one at a time.", default: false, group: "advanced" }),
  synchronous: f.boolean({ doc: "Accepted but ignored.", default: false, group: "advanced" }),
  onPrepare: f.unsupported("onPrepare refers to a Java processor; do this work in the first step of each copy"),
  executorService: f.string({ doc: "Accepted but ignored: there are no thread pools.", group: "advanced" }),
};

/** Rejects a timeout without parallelProcessing, where it would have no effect. */
export function rejectUnusedTimeout({ timeout, parallelProcessing }: { readonly timeout: number; readonly parallelProcessing: boolean }): void {
  if (timeout > 0 && !parallelProcessing)
    throw new CompileError("option-conflict", "timeout requires parallelProcessing", {
      hint: "add parallelProcessing: true or remove timeout",
      option: "timeout",
    });
}
