import type { MappedField } from "./rule-compiler.ts";
import type { Shape } from "./shape.ts";

/** Target fields the schema requires and no rule writes, as sentences. */
export function unmappedWarnings(shape: Shape | undefined, mapped: readonly MappedField[]): readonly string[] {
  const missing: string[] = [];
  walk(shape, "", mapped, missing);
  return missing.map((path) => `target field '${path}' is required by the schema but not mapped`);
}

function walk(shape: Shape | undefined, prefix: string, mapped: readonly MappedField[], missing: string[]): void {
  if (shape?.kind !== "object") return;
  for (const [name, inner] of shape.members) {
    const path = prefix + name;
    const below = mapped.filter((field) => field.path === path || field.path.startsWith(`${path}.`) || field.path.startsWith(`${path}[`));
    if (below.length === 0) {
      if (shape.required.has(name)) missing.push(path);
      continue;
    }
    // A field that is taken over whole brings its own fields along.
    if (below.some((field) => !field.isStructure && (field.path === path || field.path === `${path}[]`))) continue;
    if (inner.kind === "list") walk(inner.of, `${path}${below.some((field) => field.path.startsWith(`${path}[]`)) ? "[]" : ""}.`, mapped, missing);
    else walk(inner, `${path}.`, mapped, missing);
  }
}
