// The secrets this runtime knows by value: the deploy token, parameters marked secret, variables named as secrets. Whatever
// leaves for a log, stream, run record or session is scrubbed of them, wherever in the text they stand.
import { masked } from "./secret-headers.ts";

/** Shorter values would blank out ordinary words. */
const shortestSecret = 6;

export interface SecretValues {
  /** Sets what one owner (a flow, the process) wants hidden; an empty list forgets it. */
  set(owner: string, values: readonly string[]): void;
  scrub(text: string): string;
  /** As `scrub`, for JSON text, which is JSON afterwards too: a number that holds a secret becomes text. */
  scrubJson(json: string): string;
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
      const inJson = escaped(value);
      const inUri = encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
      return [...new Set([value, inJson, escaped(inJson), inUri])];
    });
    values.sort((a, b) => b.length - a.length);
    few = values.length <= 8 ? values : undefined;
    pattern = values.length === 0 ? undefined : new RegExp(values.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  }

  function scrub(text: string): string {
    if (stale) rebuild();
    if (pattern === undefined || (few !== undefined && !few.some((value) => text.includes(value)))) return text;
    return text.replaceAll(pattern, masked);
  }

  function hidden(value: unknown): unknown {
    if (typeof value === "string") return scrub(value);
    if (Array.isArray(value)) return value.map(hidden);
    if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [scrub(name), hidden(inner)]));
    const text = String(value);
    return scrub(text) === text ? value : masked;
  }

  return {
    set(owner, values) {
      const long = values.filter((value) => value.length >= shortestSecret);
      if (long.length === 0 && !owners.has(owner)) return;
      if (long.length === 0) owners.delete(owner);
      else owners.set(owner, long);
      stale = true;
    },
    scrub,
    scrubJson: (json) => (scrub(json) === json ? json : JSON.stringify(hidden(JSON.parse(json)))),
  };
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
