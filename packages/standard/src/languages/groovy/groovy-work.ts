// Limits the work of one script. Compiled scripts count closure calls; this module counts the items and characters that operators and
// methods process, so that a large message cannot block other runs.
import { FlowError } from "@sluice/engine/spi";
import { isMap, sizeOf } from "./groovy-maps.ts";

const maxWork = 2_000_000;
/** Number of characters that native methods process in the time they need for one item. */
const charactersPerItem = 8;

/** Work of the current script: scripts run synchronously, one at a time. */
let workLeft = maxWork;

export function startWork(): void {
  workLeft = maxWork;
}

/** Counts work for this many items; throws when the limit is exceeded. */
export function spendWork(items: number): void {
  workLeft -= items;
  if (workLeft >= 0) return;
  throw new FlowError("java.lang.IllegalStateException", `groovy: the script processes more than ${maxWork} items or characters; split the message first`, {
    code: "limit-time",
  });
}

/** The work of iterating over a value once. */
export function workOf(value: unknown): number {
  if (typeof value === "string") return value.length / charactersPerItem;
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? sizeOf(value) : 1;
}
