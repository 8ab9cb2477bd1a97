/** A copy of its own. Entry by entry: for the few there are, the constructor that copies a map takes twice as long. */
export function copyEntries(entries: ReadonlyMap<string, unknown>): Map<string, unknown> {
  const copy = new Map<string, unknown>();
  for (const [name, value] of entries) copy.set(name, value);
  return copy;
}
