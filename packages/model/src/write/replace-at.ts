import type { Plain } from "./edit.ts";
import type { Path } from "./layout.ts";

/** A document's data with the value at an existing path replaced. */
export function replaceAt(value: Plain, path: Path, change: (old: Plain) => Plain): Plain {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return (value as readonly Plain[]).map((item, index) => (index === step ? replaceAt(item, rest, change) : item));
  if (value === null || typeof value !== "object" || !("entries" in value)) return value;
  const entries = value.entries as readonly (readonly [string, Plain])[];
  return { entries: entries.map(([key, item]) => [key, key === step ? replaceAt(item, rest, change) : item] as const) };
}
