type Json = Readonly<Record<string, unknown>>;

const conditions: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"]);

/** The file that `import` loads for a package, resolved from its package.json; undefined when it exports none. */
export function mainModule({ exports: exported, main }: Json): string | undefined {
  if (exported !== undefined) {
    const hasSubpaths = typeof exported === "object" && exported !== null && Object.keys(exported).some((key) => key.startsWith("."));
    return targetOf(hasSubpaths ? (exported as Json)["."] : exported);
  }
  return typeof main === "string" ? main : "index.js";
}

function targetOf(exported: unknown): string | undefined {
  if (typeof exported === "string") return exported;
  if (Array.isArray(exported)) return exported.map(targetOf).find((target) => target !== undefined);
  if (typeof exported !== "object" || exported === null) return undefined;
  for (const [condition, target] of Object.entries(exported)) {
    const found = conditions.has(condition) ? targetOf(target) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
