// The secrets this runtime knows by value: the deploy token, parameters marked secret, variables named as secrets. Whatever
// leaves for a log, stream, run record or session is scrubbed of them, wherever in the text they stand.
import { masked } from "./secret-headers.ts";

/** Shorter values would blank out ordinary words. */
const shortestSecret = 6;

export interface SecretValues {
  /** Sets what one owner (a flow, the process) wants hidden; an empty list forgets it. */
  set(owner: string, values: readonly string[]): void;
  scrub(text: string): string;
}

export function createSecretValues(): SecretValues {
  const owners = new Map<string, readonly string[]>();
  /** Built when a text is looked at, not at every change: a start makes thousands of changes in a row. */
  let stale = false;
  let pattern: RegExp | undefined;
  /** The forms to look for one by one; undefined when there are so many that the pattern is quicker. */
  let few: readonly string[] | undefined;

  function rebuild(): void {
    stale = false;
    const values = [...new Set([...owners.values()].flat())].flatMap((value) => {
      const inJson = JSON.stringify(value).slice(1, -1);
      const inUri = encodeURIComponent(value);
      return [...new Set([value, inJson, inUri])];
    });
    values.sort((a, b) => b.length - a.length);
    few = values.length <= 8 ? values : undefined;
    pattern = values.length === 0 ? undefined : new RegExp(values.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  }

  return {
    set(owner, values) {
      const long = values.filter((value) => value.length >= shortestSecret);
      if (long.length === 0 && !owners.has(owner)) return;
      if (long.length === 0) owners.delete(owner);
      else owners.set(owner, long);
      stale = true;
    },
    scrub(text) {
      if (stale) rebuild();
      if (pattern === undefined || (few !== undefined && !few.some((value) => text.includes(value)))) return text;
      return text.replaceAll(pattern, masked);
    },
  };
}
