// Replaces JSONata's `$sort`, which copies the remaining list for each item and overflows the stack at a few thousand items.
import { checkPartCount } from "@sluice/engine/values";

/** True when the first item belongs after the second. A generator, like every function of an expression. */
type Comparator = (left: unknown, right: unknown) => Generator<unknown, unknown>;

/** A stable sort; without a comparator only of numbers or strings. */
export function* sort(list: readonly unknown[] | undefined, comparator?: Comparator): Generator<unknown, readonly unknown[] | undefined> {
  if (list === undefined || list.length <= 1) return list;
  checkPartCount(list.length);
  if (comparator !== undefined) return yield* mergeSort(list, comparator);
  // JSONata turns the code into its own message.
  if (!isAll(list, "number") && !isAll(list, "string")) throw Object.assign(new Error("D3070"), { code: "D3070", index: 1 });
  return [...(list as readonly number[])].sort((left, right) => (left > right ? 1 : left < right ? -1 : 0));
}

const isAll = (list: readonly unknown[], type: "number" | "string"): boolean => list.every((item) => typeof item === type);

function* mergeSort(list: readonly unknown[], isAfter: Comparator): Generator<unknown, readonly unknown[]> {
  if (list.length <= 1) return list;
  const middle = Math.floor(list.length / 2);
  const left = yield* mergeSort(list.slice(0, middle), isAfter);
  const right = yield* mergeSort(list.slice(middle), isAfter);
  const merged: unknown[] = [];
  let [fromLeft, fromRight] = [0, 0];
  while (fromLeft < left.length && fromRight < right.length)
    merged.push((yield* isAfter(left[fromLeft], right[fromRight])) ? right[fromRight++] : left[fromLeft++]);
  while (fromLeft < left.length) merged.push(left[fromLeft++]);
  while (fromRight < right.length) merged.push(right[fromRight++]);
  return merged;
}
