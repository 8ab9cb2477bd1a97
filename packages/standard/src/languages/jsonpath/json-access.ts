// Reads objects and maps in the same way. Only own members are visible, because names come from messages.

export const absent: unique symbol = Symbol("absent");

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array) && !(value instanceof Date);
}

export function member(value: object, name: string): unknown {
  if (value instanceof Map) return value.has(name) ? (value.get(name) as unknown) : absent;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : absent;
}

export function memberNames(value: object): string[] {
  return value instanceof Map ? [...value.keys()].map(String) : Object.keys(value);
}

export function memberValues(value: object): Iterable<unknown> {
  return value instanceof Map ? value.values() : Object.values(value);
}

/** True when two JSON values are equal. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) return Array.isArray(right) && left.length === right.length && left.every((item, index) => equalJson(item, right[index]));
  if (!isObject(left) || !isObject(right)) return false;
  const names = memberNames(left);
  if (names.length !== memberNames(right).length) return false;
  return names.every((name) => {
    const other = member(right, name);
    return other !== absent && equalJson(member(left, name), other);
  });
}
