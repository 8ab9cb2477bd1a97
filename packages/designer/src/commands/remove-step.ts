import { removeItem } from "@sluice/model";
import { selectedStep } from "../document/open-flow.ts";
import type { DocumentCommand } from "./command.ts";

/** Deletes the selected step; its follower, or else the one before it, is selected then. */
export const removeStep: DocumentCommand = {
  name: "remove-step",
  title: "Delete step",
  shortcut: "Delete",
  apply(flow) {
    const step = selectedStep(flow);
    if (step === undefined) return undefined;
    return {
      edit: removeItem(flow.text, step.listPath, step.index),
      select: [...step.listPath, Math.max(0, step.index - (isLast(flow, step.listPath, step.index) ? 1 : 0))],
    };
  },
};

function isLast(flow: Parameters<DocumentCommand["apply"]>[0], listPath: readonly (string | number)[], index: number): boolean {
  let tree = flow.good?.tree;
  for (const part of listPath)
    tree = tree?.type === "map" ? tree.entries.find(({ key }) => key === part)?.value : tree?.type === "list" ? tree.items[part as number] : undefined;
  return tree?.type === "list" && index === tree.items.length - 1;
}
