/** A value as a predicate: null, false, blank text, the text "false" and an empty list are false; everything else, also 0, is true. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  if (value === null || value === undefined) return false;
  if (typeof value === "string") return value.trim() !== "" && value.trim().toLowerCase() !== "false";
  if (Array.isArray(value)) return value.length > 0;
  return true;
}
