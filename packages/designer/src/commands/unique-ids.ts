import { applySplice, everyStep, itemText, type Path, readTree, setScalar, type Tree } from "@sluice/model";
import type { OpenFlow } from "../document/open-flow.ts";
import { listItem } from "../document/step-edits.ts";

/** Makes the ids of several steps unique in the flow and among each other. */
export function withUniqueStepIds(yamls: readonly string[], flow: OpenFlow): readonly string[] {
  const list = withUniqueIds(yamls.map((yaml) => listItem(yaml)).join("\n"), flow);
  return yamls.map((yaml, index) => itemText(list, [], index) ?? yaml);
}

/** The YAML of a step, branch or element with ids that are unique in the flow; everything else is unchanged. */
export function withUniqueIds(yaml: string, flow: OpenFlow): string {
  const usedIds = new Set<string>();
  for (const route of flow.lastValid?.outline.routes ?? []) {
    usedIds.add(route.id);
    for (const step of everyStep(route.steps)) usedIds.add(step.id);
  }
  let text = yaml;
  const { tree } = readTree(yaml);
  for (const { path, id } of tree === undefined ? [] : idsIn(tree, [])) {
    if (!usedIds.has(id)) {
      usedIds.add(id);
      continue;
    }
    const base = id.replace(/-\d+$/, "");
    let newId = id;
    for (let count = 2; usedIds.has(newId); count++) newId = `${base}-${count}`;
    usedIds.add(newId);
    const edit = setScalar(text, path, newId);
    if (edit.ok) text = applySplice(text, edit.splice);
  }
  return text;
}

/** Every `id` in the tree, with its path. */
function* idsIn(tree: Tree, path: Path): Generator<{ path: Path; id: string }> {
  if (tree.type === "list") for (const [index, item] of tree.items.entries()) yield* idsIn(item, [...path, index]);
  if (tree.type !== "map") return;
  for (const { key, value } of tree.entries) {
    if (key === "id" && value.type === "scalar" && value.text !== null) yield { path: [...path, key], id: value.text };
    else yield* idsIn(value, [...path, key]);
  }
}
