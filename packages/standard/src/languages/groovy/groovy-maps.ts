// Maps in messages are plain objects (parsed JSON) or Map objects; Groovy code treats both the same.
export function isMap(value: unknown): value is ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export const keysOf = (map: unknown): readonly string[] =>
  map instanceof Map ? [...(map as Map<string, unknown>).keys()].map(String) : Object.keys(map as object);

export const sizeOf = (map: unknown): number => (map instanceof Map ? map.size : Object.keys(map as object).length);

/** Own entries only: a name such as `constructor` finds nothing that is not in the message. */
export function valueAt(map: unknown, key: string): unknown {
  if (map instanceof Map) return (map.get(key) as unknown) ?? null;
  return Object.hasOwn(map as object, key) ? ((map as Readonly<Record<string, unknown>>)[key] ?? null) : null;
}
