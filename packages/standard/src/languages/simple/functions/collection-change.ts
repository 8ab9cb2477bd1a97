// listAdd, mapAdd and similar functions change a collection of the message. Copies of a message share their bodies, so the collection is copied
// first and the copy replaces it in this exchange only; multicast branches, wire taps and stored originals are unaffected.
import type { Exchange, Host } from "@sluice/engine/spi";

type Container = object;

/** Maximum number of containers searched for a nested collection; beyond that it is treated as not part of the exchange. */
const maxVisits = 20_000;

/**
 * Replaces the collection `original` with `changed` in the body, headers, variables, properties and globals, at any depth. In each container, only the first
 * occurrence is replaced.
 */
export function replaceInExchange(exchange: Exchange, host: Host, original: Container, changed: Container): void {
  const search: Search = { original, changed, visits: 0 };
  const { message, variables, properties } = exchange;
  message.body = replaceIn(message.body, search);
  for (const [name, value] of message.headers) change(value, search, (updated) => message.headers.set(name, updated));
  for (const [name, value] of variables ?? []) change(value, search, (updated) => exchange.setVariable(name, updated));
  for (const [name, value] of properties ?? []) change(value, search, (updated) => exchange.setProperty(name, updated));
  for (const [name, value] of host.globals) change(value, search, (updated) => host.globals.set(name, updated));
}

interface Search {
  readonly original: Container;
  readonly changed: Container;
  visits: number;
}

function change(value: unknown, search: Search, store: (updated: unknown) => void): void {
  const updated = replaceIn(value, search);
  if (updated !== value) store(updated);
}

/** The value with the collection replaced; containers on the path to it are copied, the rest is shared. */
function replaceIn(value: unknown, search: Search): unknown {
  if (value === search.original) return search.changed;
  if (typeof value !== "object" || value === null || ++search.visits > maxVisits) return value;
  if (Array.isArray(value)) {
    const at = indexOfChange(value as unknown[], search);
    return at === undefined ? value : (value as unknown[]).with(at.key, at.updated);
  }
  if (value instanceof Map) {
    const at = findChange(value as Map<unknown, unknown>, search);
    return at === undefined ? value : new Map(value as Map<unknown, unknown>).set(at.key, at.updated);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const at = findChange(Object.entries(value), search);
  return at === undefined ? value : Object.assign(Object.create(prototype) as object, value, { [at.key]: at.updated });
}

function indexOfChange(values: readonly unknown[], search: Search): { readonly key: number; readonly updated: unknown } | undefined {
  for (let key = 0; key < values.length; key++) {
    const updated = replaceIn(values[key], search);
    if (updated !== values[key]) return { key, updated };
  }
  return undefined;
}

function findChange<K>(entries: Iterable<readonly [K, unknown]>, search: Search): { readonly key: K; readonly updated: unknown } | undefined {
  for (const [key, value] of entries) {
    const updated = replaceIn(value, search);
    if (updated !== value) return { key, updated };
  }
  return undefined;
}
