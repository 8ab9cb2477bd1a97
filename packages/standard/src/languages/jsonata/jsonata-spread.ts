// Replaces JSONata's `$spread`, which copies the result for each object: 10,000 objects took seconds.
import { setEntry } from "@sluice/engine/values";
import { asSequence } from "./sequence.ts";

/** One object for each member of the objects in `value`; any other value itself. `spend` is called for each object or value. */
export function spread(value: unknown, spend: () => void): unknown {
  if (!isObject(value)) return value;
  const result: unknown[] = [];
  collect(value, result, spend);
  return asSequence(result);
}

function collect(value: unknown, result: unknown[], spend: () => void): void {
  spend();
  if (Array.isArray(value)) for (const item of value as readonly unknown[]) collect(item, result, spend);
  else if (isObject(value)) for (const [name, member] of Object.entries(value)) result.push(singleMember(name, member));
  else if (value !== undefined) result.push(value);
}

function singleMember(name: string, member: unknown): object {
  const object = {};
  setEntry(object, name, member);
  return object;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !("_jsonata_lambda" in value);
