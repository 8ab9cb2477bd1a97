// Lists created by expressions may contain the same list many times: small in memory, but huge to traverse. Their expanded size is tracked and
// limited.
import { checkListLength } from "@sluice/engine/values";
import type { MappingRun } from "./frame.ts";

const sizes = new WeakMap<readonly unknown[], number>();

/** Elements of a list with nested lists expanded. */
const sizeOf = (list: readonly unknown[]): number => sizes.get(list) ?? list.length;

/** Records the size of a list created by an expression; throws when it is too large. */
export function limitedList(list: readonly unknown[]): readonly unknown[] {
  let size = 0;
  for (const item of list) size += Array.isArray(item) ? sizeOf(item) : 1;
  checkListLength(size);
  if (size !== list.length) sizes.set(list, size);
  return list;
}

/** Characters of a string read per counted work step. */
const charactersPerStep = 64;

/** Counts the work of reading a value: lists by their elements, strings by their length. */
export function countWork(value: unknown, run: MappingRun): void {
  if (typeof value === "string") {
    if (value.length >= charactersPerStep) run.spend(Math.floor(value.length / charactersPerStep));
  } else if (Array.isArray(value)) run.spend(sizeOf(value));
}
