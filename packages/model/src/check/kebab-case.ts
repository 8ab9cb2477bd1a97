// Kebab-case names, which Camel accepted for steps and other elements until 4.13.
import type { MapEntry } from "../flow/tree.ts";
import { clip, withHint, type Binding } from "./binding.ts";

/** `set-body` as `setBody`. */
export function inCamelCase(name: string): string {
  return name.replaceAll(/-+([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The entry under its camelCase name, when only that one is known. It is rejected, as in Camel, but still bound to find further errors. */
export function camelCaseEntry(binding: Binding, entry: MapEntry, path: string, isKnown: (name: string) => boolean): MapEntry {
  if (!entry.key.includes("-") || isKnown(entry.key)) return entry;
  const name = inCamelCase(entry.key);
  if (!isKnown(name)) return entry;
  const hint = `write '${name}'`;
  binding.report("name-kebab-case", withHint(`names such as '${clip(entry.key)}' were removed in Camel 4.13`, hint), { path, span: entry.keySpan }, hint);
  return { ...entry, key: name };
}
