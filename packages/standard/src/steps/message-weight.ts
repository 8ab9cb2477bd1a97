// Estimates the memory of a stored message, to bound how much a step may store.
import { isMessage, type Exchange } from "@sluice/engine/spi";

/** Size of an exchange with its maps, its run, and the exchange it was copied from. Measured with webhooks: 2 KB. */
const overhead = 2_000;
/** Estimated size of a map entry without the characters of its name and value. */
const entryOverhead = 120;
/** Maximum number of values that are measured; the size of long lists is estimated from their length. */
const maxValues = 200;

/** Estimated bytes of a stored exchange: message, headers, properties and variables. */
export function messageWeight({ message, properties, variables }: Exchange): number {
  const budget = { values: maxValues };
  return overhead + weightOf(message, budget) + entriesWeight(properties, budget) + entriesWeight(variables, budget);
}

/** Estimated bytes of a stored value. */
export const valueWeight = (value: unknown): number => weightOf(value, { values: maxValues });

function entriesWeight(entries: Iterable<readonly [string, unknown]> | undefined, budget: { values: number }): number {
  let weight = 0;
  if (entries !== undefined) for (const [name, value] of entries) weight += entryOverhead + name.length + weightOf(value, budget);
  return weight;
}

function weightOf(value: unknown, budget: { values: number }): number {
  if (typeof value === "string") return value.length * 2;
  if (typeof value !== "object" || value === null) return 8;
  if (value instanceof Uint8Array) return value.byteLength;
  // Read from a copy: parsing the headers of the stored message would increase its memory.
  if (isMessage(value)) return 64 + weightOf(value.body, budget) + entriesWeight(value.headers.copy().snapshot(), budget);
  if (budget.values-- <= 0) return 64;
  if (value instanceof Map) return 64 + value.size * 64;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let weight = 64 + items.length * 16;
  for (let index = 0; index < items.length && budget.values > 0; index++) weight += weightOf(items[index], budget);
  return weight;
}
