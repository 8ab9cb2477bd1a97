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
  /** A `scrubJson` that hides what is secret now and what is secret when it is called: JSON may be written long after what it tells of. */
  asOfNow(): Scrub;
}

export type Scrub = (text: string) => string;

export function createSecretValues(): SecretValues {
  const owners = new Map<string, readonly string[]>();
  /** Built when a text is looked at, not at every change: a start makes thousands of changes in a row. */
  let current: { readonly text: Scrub; readonly json: Scrub } | undefined = undefined;

  function known(): { readonly text: Scrub; readonly json: Scrub } {
    if (current !== undefined) return current;
    const text = scrubbing([...owners.values()].flat());
    const mine = {
      text,
      json: (json: string): string => (current === mine ? scrubbedJson(json, text) : known().json(scrubbedJson(json, text))),
    };
    return (current = mine);
  }

  return {
    set(owner, values) {
      const long = values.filter((value) => value.length >= shortestSecret);
      if (long.length === 0 && !owners.has(owner)) return;
      if (long.length === 0) owners.delete(owner);
      else owners.set(owner, long);
      current = undefined;
    },
    scrub: (text) => known().text(text),
    scrubJson: (json) => known().json(json),
    asOfNow: () => known().json,
  };
}

function scrubbing(secrets: readonly string[]): Scrub {
  const forms = [...new Set(secrets)].flatMap((value) => {
    const inJson = escaped(value);
    const inUri = encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
    return [...new Set([value, inJson, escaped(inJson), inUri])];
  });
  if (forms.length === 0) return (text) => text;
  forms.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  if (forms.length > 8) return (text) => text.replaceAll(pattern, masked);
  // A few are looked for one by one, which is quicker than the pattern where there is none.
  return (text) => (forms.some((form) => text.includes(form)) ? text.replaceAll(pattern, masked) : text);
}

function scrubbedJson(json: string, scrub: Scrub): string {
  return scrub(json) === json ? json : JSON.stringify(hidden(JSON.parse(json), scrub));
}

function hidden(value: unknown, scrub: Scrub): unknown {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((inner) => hidden(inner, scrub));
  if (typeof value === "object" && value !== null) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [scrub(name), hidden(inner, scrub)]));
  const text = String(value);
  return scrub(text) === text ? value : masked;
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
