/** Calls `work` for one item after another; stops at the first failure. */
export async function inOrder<T, R>(items: Iterable<T>, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
