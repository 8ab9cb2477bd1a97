// Secrets known by value: the deploy token, secret parameters, secret environment variables. They are removed from all text written to
// logs, streams, run records and sessions.
import { masked } from "./secret-headers.ts";

/** Shorter values would mask ordinary words. */
const minSecretLength = 6;

/** Maximum number of secrets of past deployments that are still masked in records. */
const maxRetired = 1_000;

interface Scrubbing {
  scrub(text: string): string;
  /** Like `scrub`, for JSON; the result is valid JSON: a number that contains a secret becomes a string. */
  scrubJson(json: string): string;
}

export interface SecretValues extends Scrubbing {
  /** Sets the secrets of an owner (a deployment, a policy, the process); an empty list removes them. */
  set(owner: string | object, values: readonly string[]): void;
  /** For stored runs and messages: also masks values that were secret when they were recorded. */
  readonly records: Scrubbing;
  /**
   * Returns a `scrubJson` that masks the current secrets and those at the time of each call: JSON may be written later than the
   * event.
   */
  asOfNow(): Scrub;
}

export type Scrub = (text: string) => string;

export function createSecretValues(): SecretValues {
  const owners = new Map<string | object, readonly string[]>();
  const retired = new Set<string>();
  let forRecords: Scrub | undefined = undefined;
  /** Built on first use after a change, because startup makes thousands of changes in a row. */
  let current: { readonly text: Scrub; readonly json: Scrub } | undefined = undefined;

  function currentScrubs(): { readonly text: Scrub; readonly json: Scrub } {
    if (current !== undefined) return current;
    const text = createScrub([...owners.values()].flat());
    const snapshot = {
      text,
      json: (json: string): string => (current === snapshot ? scrubJsonWith(json, text) : currentScrubs().json(scrubJsonWith(json, text))),
    };
    return (current = snapshot);
  }

  const scrubRecord = (text: string): string => (forRecords ??= createScrub([...retired, ...[...owners.values()].flat()]))(text);

  function retire(values: readonly string[]): void {
    for (const value of values) {
      retired.delete(value);
      retired.add(value);
    }
    for (const value of retired) if (retired.size > maxRetired) retired.delete(value);
  }

  return {
    set(owner, values) {
      const long = values.filter((value) => value.length >= minSecretLength);
      if (long.length === 0 && !owners.has(owner)) return;
      retire(owners.get(owner) ?? []);
      if (long.length === 0) owners.delete(owner);
      else owners.set(owner, long);
      current = undefined;
      forRecords = undefined;
    },
    records: { scrub: scrubRecord, scrubJson: (json) => scrubJsonWith(json, scrubRecord) },
    scrub: (text) => currentScrubs().text(text),
    scrubJson: (json) => currentScrubs().json(json),
    asOfNow: () => currentScrubs().json,
  };
}

function createScrub(secrets: readonly string[]): Scrub {
  const forms = [...new Set(secrets)].flatMap((value) => {
    const inJson = escapeJson(value);
    const inUri = encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
    return [...new Set([value, inJson, escapeJson(inJson), inUri])];
  });
  if (forms.length === 0) return (text) => text;
  forms.sort((a, b) => b.length - a.length);
  const pattern = new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  if (forms.length > 8) return (text) => text.replaceAll(pattern, masked);
  // Searching a few values one by one is faster than the pattern when there is no match.
  return (text) => (forms.some((form) => text.includes(form)) ? text.replaceAll(pattern, masked) : text);
}

function scrubJsonWith(json: string, scrub: Scrub): string {
  return scrub(json) === json ? json : JSON.stringify(scrubValue(JSON.parse(json), scrub));
}

function scrubValue(value: unknown, scrub: Scrub): unknown {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((inner) => scrubValue(inner, scrub));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [scrub(name), scrubValue(inner, scrub)]));
  const text = String(value);
  return scrub(text) === text ? value : masked;
}

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);
