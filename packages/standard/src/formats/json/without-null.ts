/** A copy of a value without the members that are null. */
export function withoutNull(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > 500) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNull(item, depth + 1));
  const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined;
  if (entries === undefined) return value;
  return new Map(
    entries.filter(([, inner]) => inner !== null && inner !== undefined).map(([key, inner]) => [key as unknown, withoutNull(inner, depth + 1)] as const),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
