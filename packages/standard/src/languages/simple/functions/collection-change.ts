// listAdd, mapAdd and similar functions change a collection of the message. Copies of a message share their bodies, so the collection is copied
// first and the copy replaces it in this exchange only; multicast branches, wire taps and stored originals are unaffected.
import type { Exchange, Host } from "@sluice/engine/spi";

type Container = object;

/** Maximum number of containers searched for a nested collection; beyond that it is treated as not part of the exchange. */
const maxVisits = 20_000;

/** Replaces `before` with `after` wherever the exchange contains it, directly or nested. */
export function replaceInExchange(exchange: Exchange, host: Host, before: Container, after: Container): void {
  const search: Search = { before, after, visits: 0 };
  const { message, variables, properties } = exchange;
  message.body = replaced(message.body, search);
  for (const [name, value] of message.headers) change(value, search, (made) => message.headers.set(name, made));
  for (const [name, value] of variables ?? []) change(value, search, (made) => exchange.setVariable(name, made));
  for (const [name, value] of properties ?? []) change(value, search, (made) => exchange.setProperty(name, made));
  for (const [name, value] of host.globals) change(value, search, (made) => host.globals.set(name, made));
}

interface Search {
  readonly before: Container;
  readonly after: Container;
  visits: number;
}

function change(value: unknown, search: Search, store: (made: unknown) => void): void {
  const made = replaced(value, search);
  if (made !== value) store(made);
}

/** The value with the collection replaced; containers on the path to it are copied, the rest is shared. */
function replaced(value: unknown, search: Search): unknown {
  if (value === search.before) return search.after;
  if (typeof value !== "object" || value === null || ++search.visits > maxVisits) return value;
  if (Array.isArray(value)) {
    const at = indexOfChange(value as unknown[], search);
    return at === undefined ? value : (value as unknown[]).with(at.key, at.made);
  }
  if (value instanceof Map) {
    const at = findChange(value as Map<unknown, unknown>, search);
    return at === undefined ? value : new Map(value as Map<unknown, unknown>).set(at.key, at.made);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const at = findChange(Object.entries(value), search);
  return at === undefined ? value : Object.assign(Object.create(prototype) as object, value, { [at.key]: at.made });
}

function indexOfChange(values: readonly unknown[], search: Search): { readonly key: number; readonly made: unknown } | undefined {
  for (let key = 0; key < values.length; key++) {
    const made = replaced(values[key], search);
    if (made !== values[key]) return { key, made };
  }
  return undefined;
}

function findChange<K>(entries: Iterable<readonly [K, unknown]>, search: Search): { readonly key: K; readonly made: unknown } | undefined {
  for (const [key, value] of entries) {
    const made = replaced(value, search);
    if (made !== value) return { key, made };
  }
  return undefined;
}
