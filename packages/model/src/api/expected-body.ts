// Compares a body with the one that a test expects: shared by assertions about mocks and by flow tests.

/** Parses text that is JSON; returns other values unchanged. */
export function bodyData(body: unknown): unknown {
  if (typeof body !== "string" || !/^\s*[[{]/.test(body)) return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Every member of `part` is in `whole`; lists must have the same length. */
export function isPartOf(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) return Array.isArray(whole) && part.length === whole.length && part.every((item, index) => isPartOf(item, whole[index]));
  if (typeof part !== "object" || part === null) return part === whole;
  return (
    typeof whole === "object" &&
    whole !== null &&
    Object.entries(part).every(([name, value]) => Object.hasOwn(whole, name) && isPartOf(value, (whole as Record<string, unknown>)[name]))
  );
}
