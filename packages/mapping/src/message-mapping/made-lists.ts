// Lists that expressions make may hold one list many times: small in memory, endless for whoever walks them. What they hold in
// truth is kept beside them and bounded.
import { checkListLength } from "@sluice/engine/spi";
import type { Run } from "./frame.ts";

const sizes = new WeakMap<readonly unknown[], number>();

/** Elements of a list, those of lists in it counted as often as they stand there. */
const sizeOf = (list: readonly unknown[]): number => sizes.get(list) ?? list.length;

/** Takes note of a list an expression made; throws when it holds too much. */
export function madeList(list: readonly unknown[]): readonly unknown[] {
  let size = 0;
  for (const item of list) size += Array.isArray(item) ? sizeOf(item) : 1;
  checkListLength(size);
  if (size !== list.length) sizes.set(list, size);
  return list;
}

/** So many characters of a text are looked at in the time of one step. */
const charactersPerStep = 64;

/** Counts the look at a value: lists by their elements, texts by their length. */
export function spendOn(value: unknown, run: Run): void {
  if (typeof value === "string") {
    if (value.length >= charactersPerStep) run.spend(Math.floor(value.length / charactersPerStep));
  } else if (Array.isArray(value)) run.spend(sizeOf(value));
}
