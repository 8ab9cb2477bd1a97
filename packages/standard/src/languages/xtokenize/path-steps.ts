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

/**
 * True when the path matches the open elements, outermost first. The steps between two `//` must match consecutive elements. They are searched from the
 * innermost element outwards and the first match is used, because it leaves the most elements for the steps before it.
 */
export function matchesPath(steps: readonly PathStep[], elements: readonly NamedElement[]): boolean {
  let end = elements.length;
  for (let last = steps.length; last > 0;) {
    let first = last - 1;
    while (first > 0 && steps[first]?.anywhere === false) first--;
    const isFixed = last === steps.length;
    const isFromRoot = first === 0 && steps[0]?.anywhere === false;
    let at = end - (last - first);
    if (isFromRoot && (at < 0 || (isFixed && at > 0))) return false;
    if (isFromRoot) at = 0;
    while (!isMatch(steps, first, last, elements, at)) if (isFixed || isFromRoot || --at < 0) return false;
    end = at;
    last = first;
  }
  return true;
}

function isMatch(steps: readonly PathStep[], first: number, last: number, elements: readonly NamedElement[], at: number): boolean {
  for (let index = last - 1; index >= first; index--) {
    const element = elements[at + index - first];
    if (element === undefined || !isNamed(element, steps[index] as PathStep)) return false;
  }
  return true;
}

function isNamed(element: NamedElement, step: PathStep): boolean {
  return (step.local === "*" || step.local === element.local) && (step.namespace === undefined || step.namespace === element.namespace);
}
