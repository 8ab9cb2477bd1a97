// How much memory a kept message takes, roughly and quickly: enough to bound what a step may keep.
import type { Exchange } from "@sluice/engine/spi";

/** An exchange with its maps, its run and what the engine notes about it. */
const overhead = 1_000;
/** Values looked at; what is beyond them weighs nothing, which long lists make up for by their length. */
const mostLooks = 200;

export function messageWeight({ message }: Exchange): number {
  return overhead + weightOf(message.body, { looks: mostLooks });
}

function weightOf(value: unknown, budget: { looks: number }): number {
  if (typeof value === "string") return value.length * 2;
  if (typeof value !== "object" || value === null) return 8;
  if (value instanceof Uint8Array) return value.byteLength;
  if (budget.looks-- <= 0) return 64;
  if (value instanceof Map) return 64 + value.size * 64;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let weight = 64 + items.length * 16;
  for (let index = 0; index < items.length && budget.looks > 0; index++) weight += weightOf(items[index], budget);
  return weight;
}
