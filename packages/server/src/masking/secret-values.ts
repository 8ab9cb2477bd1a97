// Secrets known by value: the deploy token, secret parameters, secret environment variables. They are masked in all text written to
// logs, streams, run records and sessions.
import { masked } from "./secret-headers.ts";
import { passwordAtEnd } from "./secret-uris.ts";

/** Shorter values would mask ordinary words. */
const minSecretLength = 6;

/** Shorter prefixes of a secret are not masked at the end of truncated text, because they also match ordinary text. */
const minPrefixLength = 4;

/** Maximum number of secrets of past deployments that are still masked in records. */
const maxRetired = 1_000;

interface Scrubber {
  scrub(text: string): string;
  /** Like `scrub`, for JSON; the result is valid JSON: a number that contains a secret becomes a string. */
  scrubJson(json: string): string;
  /** Masks a prefix of a secret at the end of truncated text. The text may be a truncated value as JSON. */
  scrubEnd(text: string): string;
}

export interface SecretValues extends Scrubber {
  /** Sets the secrets of an owner (a deployment, a policy, the process); an empty list removes them. */
  set(owner: string | object, values: readonly string[]): void;
  /** For stored runs and messages: also masks values that were secret when they were recorded. */
  readonly records: Scrubber;
  /** Masks the secrets known now and those known when it is used, because the JSON of an event may be written later. */
  asOfNow(): EventScrubber;
}

export type EventScrubber = Omit<Scrubber, "scrub">;
type Scrub = (text: string) => string;

export function createSecretValues(): SecretValues {
  const owners = new Map<string | object, readonly string[]>();
  const retired = new Set<string>();
  // Both are built on first use after a change, because startup makes thousands of changes in a row.
  let forRecords: Scrubber | undefined = undefined;
  let current: Scrubber | undefined = undefined;

  function currentScrubber(): Scrubber {
    if (current !== undefined) return current;
    const scrubber = createScrubber([...owners.values()].flat());
    const snapshot: Scrubber = {
      scrub: scrubber.scrub,
      scrubJson: (json) => (current === snapshot ? scrubber.scrubJson(json) : currentScrubber().scrubJson(scrubber.scrubJson(json))),
      scrubEnd: (text) => (current === snapshot ? scrubber.scrubEnd(text) : currentScrubber().scrubEnd(scrubber.scrubEnd(text))),
    };
    return (current = snapshot);
  }

  const recordScrubber = (): Scrubber => (forRecords ??= createScrubber([...retired, ...[...owners.values()].flat()]));

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
    records: {
      scrub: (text) => recordScrubber().scrub(text),
      scrubJson: (json) => recordScrubber().scrubJson(json),
      scrubEnd: (text) => recordScrubber().scrubEnd(text),
    },
    scrub: (text) => currentScrubber().scrub(text),
    scrubJson: (json) => currentScrubber().scrubJson(json),
    scrubEnd: (text) => currentScrubber().scrubEnd(text),
    asOfNow: currentScrubber,
  };
}

function createScrubber(secrets: readonly string[]): Scrubber {
  const forms = [...new Set(secrets)].flatMap((value) => {
    const inJson = escapeJson(value);
    const inUri = encodeURIComponent(value.replaceAll(/\p{Surrogate}/gu, "\ufffd"));
    return [...new Set([value, inJson, escapeJson(inJson), inUri])];
  });
  forms.sort((a, b) => b.length - a.length);
  const scrub = createScrub(forms);
  let scrubEnd: Scrub | undefined;
  return { scrub, scrubJson: (json) => scrubJsonWith(json, scrub), scrubEnd: (text) => (scrubEnd ??= createScrubEnd(forms))(text) };
}

/** `forms`: the secrets as they occur in text, longest first. */
function createScrub(forms: readonly string[]): Scrub {
  if (forms.length === 0) return (text) => text;
  const pattern = new RegExp(forms.map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");
  if (forms.length > 8) return (text) => text.replaceAll(pattern, masked);
  // Searching a few values one by one is faster than the pattern when there is no match.
  return (text) => (forms.some((form) => text.includes(form)) ? text.replaceAll(pattern, masked) : text);
}

function createScrubEnd(forms: readonly string[]): Scrub {
  const longest = forms[0]?.length ?? 0;
  const byPrefix = new Map<string, string[]>();
  for (const form of forms) {
    const prefix = form.slice(0, minPrefixLength);
    const others = byPrefix.get(prefix);
    if (others === undefined) byPrefix.set(prefix, [form]);
    else others.push(form);
  }
  return (text) => {
    const end = endOfContent(text);
    for (let at = Math.max(0, end - longest); at <= end - minPrefixLength; at++) {
      const candidates = byPrefix.get(text.slice(at, at + minPrefixLength));
      if (candidates?.some((form) => form.startsWith(text.slice(at, end))) === true) return `${text.slice(0, at)}${masked}${text.slice(end)}`;
    }
    const password = passwordAtEnd(text.slice(0, end));
    return password === undefined ? text : `${text.slice(0, password)}${masked}${text.slice(end)}`;
  };
}

/** The end of the content: excludes an incomplete character, and the characters that close the JSON of a truncated value. */
function endOfContent(text: string): number {
  let end = text.length;
  while (end > 0 && '"\\]}\ufffd'.includes(text.charAt(end - 1))) end--;
  return end;
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
