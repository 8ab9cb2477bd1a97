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

/** True when `actual` has every member of `expected`; lists must have the same length. */
export function isPartOf(expected: unknown, actual: unknown): boolean {
  if (Array.isArray(expected))
    return Array.isArray(actual) && expected.length === actual.length && expected.every((item, index) => isPartOf(item, actual[index]));
  if (typeof expected !== "object" || expected === null) return expected === actual;
  return (
    typeof actual === "object" &&
    actual !== null &&
    Object.entries(expected).every(([name, value]) => Object.hasOwn(actual, name) && isPartOf(value, (actual as Record<string, unknown>)[name]))
  );
}
