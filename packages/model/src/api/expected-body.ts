// How a body is held against what a test expects of it: the assertions about mocks and the flow tests judge alike.

/** Text that is JSON counts as the data it says. */
export function bodyData(body: unknown): unknown {
  if (typeof body !== "string" || !/^\s*[[{]/.test(body)) return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Every member of `part` is in `whole`; lists must be equally long. */
export function isPartOf(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) return Array.isArray(whole) && part.length === whole.length && part.every((item, index) => isPartOf(item, whole[index]));
  if (typeof part !== "object" || part === null) return part === whole;
  return (
    typeof whole === "object" &&
    whole !== null &&
    Object.entries(part).every(([name, value]) => Object.hasOwn(whole, name) && isPartOf(value, (whole as Record<string, unknown>)[name]))
  );
}
