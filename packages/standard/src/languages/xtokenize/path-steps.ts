import { CompileError } from "@sluice/engine/spi";

/** One step of a path: an element by name, in any namespace if `namespace` is undefined. */
export interface PathStep {
  readonly local: string;
  readonly namespace: string | undefined;
  /** True when other elements may be between this step and the previous one. */
  readonly anywhere: boolean;
}

/** Reads `/a/b`, `//b` or `//x:b` with the prefixes' namespaces. */
export function readPath(text: string, namespaces: Readonly<Record<string, string>>): readonly PathStep[] {
  const steps: PathStep[] = [];
  const hasNamespaces = Object.keys(namespaces).length > 0;
  const source = text.trim().startsWith("/") ? text.trim() : `//${text.trim()}`;
  const pattern = /(\/\/?)(?:([^\s/:*[\]]+):)?([^\s/:[\]]+)/y;
  while (pattern.lastIndex < source.length) {
    const offset = pattern.lastIndex;
    const found = pattern.exec(source);
    if (found === null)
      throw new CompileError("xtokenize-path", `xtokenize: '${text}' is not a path of element names`, { hint: "write //orders/order", offset });
    const [, slashes, prefix, local] = found;
    const namespace = prefix === undefined ? (hasNamespaces && local !== "*" ? "" : undefined) : namespaces[prefix];
    if (prefix !== undefined && namespace === undefined)
      throw new CompileError("xtokenize-namespace", `xtokenize: the prefix '${prefix}' is not declared`, {
        hint: `add namespace: [{key: ${prefix}, value: its URI}]`,
        offset,
      });
    steps.push({ local: local as string, namespace, anywhere: slashes === "//" });
  }
  if (steps.length === 0) throw new CompileError("xtokenize-path", "xtokenize needs a path of element names", { hint: "write //orders/order" });
  return steps;
}

export interface NamedElement {
  readonly local: string;
  readonly namespace: string;
}

/** True when the path matches the open elements, outermost first. */
export function matchesPath(steps: readonly PathStep[], elements: readonly NamedElement[]): boolean {
  return matchFrom(steps.length - 1, elements.length - 1, steps, elements);
}

function matchFrom(step: number, element: number, steps: readonly PathStep[], elements: readonly NamedElement[]): boolean {
  if (step < 0) return true;
  const expected = steps[step] as PathStep;
  const at = elements[element];
  if (at === undefined || !isNamed(at, expected)) return false;
  if (step === 0) return expected.anywhere || element === 0;
  if (!expected.anywhere) return matchFrom(step - 1, element - 1, steps, elements);
  for (let above = element - 1; above >= 0; above--) if (matchFrom(step - 1, above, steps, elements)) return true;
  return false;
}

function isNamed(element: NamedElement, step: PathStep): boolean {
  return (step.local === "*" || step.local === element.local) && (step.namespace === undefined || step.namespace === element.namespace);
}
