import type { MappedField } from "./rule-compiler.ts";
import type { Shape } from "./shape.ts";

/** The values that rules write at a path or below it. */
interface Written {
  /** Copied as one value: its nested fields count as written. */
  isCopied: boolean;
  isList: boolean;
}

/** Warnings for target fields the schema requires and no rule writes. */
export function unmappedWarnings(shape: Shape | undefined, mapped: readonly MappedField[]): readonly string[] {
  if (shape === undefined) return [];
  const missing: string[] = [];
  walk(shape, "", writtenPaths(mapped), missing);
  return missing.map((path) => `target field '${path}' is required by the schema but not mapped`);
}

/** Every mapped path, and every prefix of a mapped path that ends before a name or a bracket. */
function writtenPaths(mapped: readonly MappedField[]): ReadonlyMap<string, Written> {
  const written = new Map<string, Written>();
  const at = (path: string): Written => {
    let found = written.get(path);
    if (found === undefined) written.set(path, (found = { isCopied: false, isList: false }));
    return found;
  };
  for (const { path, isStructure } of mapped) {
    for (const { index } of path.matchAll(/[.[]/g)) at(path.slice(0, index)).isList ||= path.startsWith("[]", index);
    at(path);
    if (!isStructure) at(path.replace(/\[\]$/, "")).isCopied = true;
  }
  return written;
}

function walk(shape: Shape, prefix: string, written: ReadonlyMap<string, Written>, missing: string[]): void {
  if (shape.kind !== "object") return;
  for (const [name, inner] of shape.members) {
    const path = prefix + name;
    const found = written.get(path);
    if (found === undefined) {
      if (shape.required.has(name)) missing.push(path);
    } else if (!found.isCopied) {
      if (inner.kind === "list") walk(inner.of, `${path}${found.isList ? "[]" : ""}.`, written, missing);
      else walk(inner, `${path}.`, written, missing);
    }
  }
}
