// Replaces JSONata's `$distinct`, which compares each item with all previous distinct items: 100,000 objects took minutes.
import { asSequence } from "./sequence.ts";

/** The list without duplicates. `spend` is called for each visited value. */
export function distinct(list: unknown, spend: () => void): unknown {
  if (!Array.isArray(list) || list.length <= 1) return list;
  const seen = new Set<unknown>();
  const unique = (list as readonly unknown[]).filter((item) => {
    const key = keyOf(item, spend);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return (list as { sequence?: boolean }).sequence === true ? asSequence(unique) : unique;
}

/**
 * A key that is equal for equal values. The key of a list or object is a string that does not depend on the order of members. The key of a string has a
 * prefix to distinguish it from those. Any other value is its own key.
 */
function keyOf(value: unknown, spend: () => void): unknown {
  spend();
  return typeof value === "object" && value !== null ? textOf(value, spend) : typeof value === "string" ? `"${value}` : value;
}

function textOf(value: unknown, spend: () => void): string {
  spend();
  if (Array.isArray(value)) return `[${(value as readonly unknown[]).map((item) => textOf(item, spend)).join()}]`;
  if (typeof value !== "object" || value === null) return typeof value === "string" ? JSON.stringify(value) : String(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf((value as Readonly<Record<string, unknown>>)[name], spend)}`).join()}}`;
}
