/** Deep equality of JSON values, ignoring the order of members. */
export function isSame(value: unknown, other: unknown): boolean {
  if (value === other) return true;
  if (typeof value !== "object" || typeof other !== "object" || value === null || other === null || Array.isArray(value) !== Array.isArray(other)) return false;
  const [left, right] = [value as Record<string, unknown>, other as Record<string, unknown>];
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]));
}
