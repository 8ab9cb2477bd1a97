/** Maximum number of candidates compared: a document may define a hundred thousand names. */
const maxCandidates = 1_000;

/** The candidate closest to a mistyped word, if one of the first thousand is close enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const folded = fold(word.slice(0, 64));
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(folded.length / 3)) + 1;
  let count = 0;
  for (const candidate of candidates) {
    if (++count > maxCandidates) break;
    const name = fold(candidate);
    if (Math.abs(name.length - folded.length) >= bestDistance) continue;
    const distance = editDistance(folded, name, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * The option that a query parameter misspells. Other parameters belong to the address, so only a name in camelCase that differs from one in camelCase by a
 * letter or two, or in case only, counts: servers rarely have such a parameter by chance.
 */
export function misspelled(parameter: string, options: Iterable<string>): string | undefined {
  if (!isCamelCase(parameter)) return undefined;
  for (const option of options) {
    if (!isCamelCase(option)) continue;
    const limit = Math.min(option.length, parameter.length) < 10 ? 2 : 3;
    if (Math.abs(option.length - parameter.length) < limit && editDistance(parameter.toLowerCase(), option.toLowerCase(), limit) < limit) return option;
  }
  return undefined;
}

const isCamelCase = (name: string): boolean => /^[a-z]{2,}[A-Z][A-Za-z]+$/.test(name) && name.length <= 64;

/** Shorter words are part of too many unrelated names. */
const minRelatedLength = 4;

/**
 * For a word that is not close to any candidate: the shortest candidate that contains it, such as `concurrentConsumers` for `consumers`, or else the shortest
 * one with the same first two thirds, such as `concurrentConsumers` for `concurrency`.
 */
export function related(word: string, candidates: readonly string[]): string | undefined {
  const folded = fold(word.slice(0, 64));
  if (folded.length < minRelatedLength) return undefined;
  const start = folded.slice(0, Math.max(minRelatedLength, Math.ceil((folded.length * 2) / 3)));
  const shortest = (matches: (name: string) => boolean): string | undefined =>
    candidates.filter((candidate) => matches(fold(candidate))).toSorted((left, right) => left.length - right.length)[0];
  return shortest((name) => name.includes(folded)) ?? shortest((name) => name.startsWith(start));
}

/** Case and kebab-case are the most common mistakes, so they count as no difference. */
const fold = (text: string): string => text.replaceAll(/[-_]/g, "").toLowerCase();

/**
 * Three rows of the distance table, shared by all calls to avoid allocation, because a document may contain thousands of mistyped words. Each row is
 * long enough for every candidate, which is at most a third longer than the first 64 letters of a word.
 */
const rows = [new Int32Array(128), new Int32Array(128), new Int32Array(128)] as const;

/** Damerau–Levenshtein distance: inserted, deleted, replaced and swapped letters. Stops when it is `limit` or more. */
function editDistance(left: string, right: string, limit: number): number {
  const width = right.length + 1;
  let [beforeLast, last, current] = rows as readonly [Int32Array, Int32Array, Int32Array];
  for (let column = 0; column < width; column++) last[column] = column;
  for (let row = 1; row <= left.length; row++) {
    const letter = left.charCodeAt(row - 1);
    let rowMinimum = (current[0] = row);
    for (let column = 1; column < width; column++) {
      const other = right.charCodeAt(column - 1);
      let cost = Math.min((last[column] as number) + 1, (current[column - 1] as number) + 1, (last[column - 1] as number) + (letter === other ? 0 : 1));
      if (row > 1 && column > 1 && letter === right.charCodeAt(column - 2) && left.charCodeAt(row - 2) === other)
        cost = Math.min(cost, (beforeLast[column - 2] as number) + 1);
      current[column] = cost;
      if (cost < rowMinimum) rowMinimum = cost;
    }
    // Later rows are never below this minimum.
    if (rowMinimum >= limit) return limit;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return last[right.length] as number;
}
