// Reads members of values by name. Only data is reachable: own keys of plain objects and entries of maps. Prototypes are not, so `constructor`
// and `__proto__` are ordinary keys, absent unless the data has them.

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** True for values that flows treat as maps. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown> {
  return value instanceof Map || isPlainObject(value);
}

/** The value of a map's key; undefined when it has no such key or is not a map. */
export function entryOf(value: unknown, key: string): unknown {
  if (value instanceof Map) return value.get(key) as unknown;
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function hasEntry(value: unknown, key: string): boolean {
  return value instanceof Map ? value.has(key) : isPlainObject(value) && Object.hasOwn(value, key);
}

/** How many entries a map has. */
export function sizeOfMap(value: Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown>): number {
  return value instanceof Map ? value.size : Object.keys(value).length;
}

/** Sets a map's entry in place; `__proto__` becomes an ordinary entry. */
export function setEntry(target: object, key: string, value: unknown): void {
  if (target instanceof Map) target.set(key, value);
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Reads one key of a plain object: fast path for keys known at compile time. Undefined when the value is not a plain object or has no such
 * key.
 */
export function fieldReader(key: string): (value: unknown) => unknown {
  // A name that objects inherit needs an own-key check; any other can only be an own key.
  const inherited = key in Object.prototype;
  return (value) => {
    if (typeof value !== "object" || value === null) return undefined;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return undefined;
    return inherited && !Object.hasOwn(value, key) ? undefined : (value as Readonly<Record<string, unknown>>)[key];
  };
}
