// Sorts long lists in slices, so that other runs make progress. Short lists are sorted synchronously.
import type { Awaitable, Clock } from "@sluice/engine/spi";
import { each } from "@sluice/engine/tools";

/** Items sorted in one slice. */
const runLength = 5_000;

export type Compare<T> = (left: T, right: T) => number;

/** Stable sort. */
export function sortInSlices<T>(items: readonly T[], compare: Compare<T>, clock: Clock): Awaitable<readonly T[]> {
  if (items.length <= runLength) return items.toSorted(compare);
  return mergeSort(items, compare, clock);
}

/** Merge sort: sorts runs, then merges pairs of runs until one is left. */
async function mergeSort<T>(items: readonly T[], compare: Compare<T>, clock: Clock): Promise<readonly T[]> {
  let from: T[] = [];
  await each(runsOf(items.length, runLength), ([start, end]) => void from.push(...items.slice(start, end).sort(compare)), clock);
  let to = from.slice();
  for (let width = runLength; width < items.length; width *= 2) {
    for (const [start, end] of runsOf(items.length, width * 2))
      await each(mergeRuns({ from, to, start, middle: Math.min(start + width, end), end }, compare), () => undefined, clock);
    [from, to] = [to, from];
  }
  return from;
}

function* runsOf(length: number, width: number): Generator<readonly [start: number, end: number]> {
  for (let start = 0; start < length; start += width) yield [start, Math.min(start + width, length)];
}

interface Merge<T> {
  readonly from: readonly T[];
  readonly to: T[];
  readonly start: number;
  readonly middle: number;
  readonly end: number;
}

/** Merges two adjacent runs; yields regularly so that the caller can check the time. */
function* mergeRuns<T>({ from, to, start, middle, end }: Merge<T>, compare: Compare<T>): Generator<undefined> {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const usesLeft = left < middle && (right >= end || compare(from[left] as T, from[right] as T) <= 0);
    to[at] = from[usesLeft ? left++ : right++] as T;
    if ((at & 1023) === 0) yield undefined;
  }
}
