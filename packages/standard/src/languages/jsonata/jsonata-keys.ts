// Replaces JSONata's `$keys`, which creates a list of names for every list inside a list.
import { asSequence } from "./sequence.ts";

/** The names of the members of an object, or of all objects in a list, each once. `spend` is called for each value. */
export function keysOf(value: unknown, spend: () => void): readonly string[] {
  const names: Record<string, true> = Object.create(null) as Record<string, true>;
  collect(value, names, spend);
  return asSequence(Object.keys(names));
}

function collect(value: unknown, names: Record<string, true>, spend: () => void): void {
  spend();
  if (Array.isArray(value)) for (const item of value as readonly unknown[]) collect(item, names, spend);
  else if (typeof value === "object" && value !== null && !("_jsonata_lambda" in value)) for (const name of Object.keys(value)) names[name] = true;
}
