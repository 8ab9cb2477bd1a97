import { pathKey } from "@sluice/model";
import { blockAt, selectedSteps, stepAt } from "../document/open-flow.ts";
import { removeBranch, removeSteps } from "../document/step-edits.ts";
import type { DocumentCommand } from "./command.ts";

/** Deletes the selected steps or branch and selects a neighbor, or else the parent. */
export const removeStep: DocumentCommand = {
  name: "remove-step",
  title: "Delete step",
  shortcut: "Delete",
  apply(flow) {
    const steps = selectedSteps(flow);
    const [step] = steps;
    if (step === undefined) {
      const block = flow.selection === undefined ? undefined : blockAt(flow, flow.selection);
      if (block === undefined) return undefined;
      const at = block.path.findLastIndex((part, index) => typeof part === "number" && index < block.path.length - 1);
      return { edit: removeBranch(flow.text, block.path), select: block.path.slice(0, at + 1) };
    }
    const { listPath, index: first } = step;
    const edit = removeSteps(flow.text, { listPath, first, count: steps.length });
    const hasNext = stepAt(flow, [...listPath, first + steps.length]) !== undefined;
    if (hasNext || first > 0) return { edit, select: [...listPath, hasNext ? first : first - 1] };
    return { edit, select: parentOf(flow, listPath) };
  },
};

/** The selection when a list has become empty: the branch, step, trigger or top-level element that owns it. */
function parentOf(flow: Parameters<DocumentCommand["apply"]>[0], listPath: readonly (string | number)[]): readonly (string | number)[] {
  const owner = listPath.slice(0, -1);
  if (blockAt(flow, owner) !== undefined) return owner;
  const step = owner.slice(0, -1);
  if (stepAt(flow, step) !== undefined) return step;
  const { routes = [], entities = [] } = flow.lastValid?.outline ?? {};
  const route = routes.find(({ stepsPath }) => pathKey(stepsPath) === pathKey(listPath));
  return route?.from.path ?? entities.find(({ path }) => path[0] === listPath[0])?.path ?? owner;
}
