import type { Binding } from "./binding.ts";

/** Assigns an id to every step of the route or entity just bound, and reports duplicate ids. */
export function assignStepIds(binding: Binding, prefix = ""): void {
  const usedIds = new Set<string>();
  for (const { node, path } of binding.drafts) {
    if (node.id === "") continue;
    if (usedIds.has(node.id))
      binding.report(
        "step-id-duplicate",
        `the step id '${node.id}' is used twice in ${binding.scopeLabel}`,
        { path: `${path}.id`, span: node.span },
        "change one of the ids",
      );
    usedIds.add(node.id);
  }
  const counters = new Map<string, number>();
  for (const { node } of binding.drafts) {
    if (node.id !== "") continue;
    let count = counters.get(node.name) ?? 0;
    do count++;
    while (usedIds.has(`${prefix}${node.name}${count}`));
    counters.set(node.name, count);
    node.id = `${prefix}${node.name}${count}`;
  }
}
