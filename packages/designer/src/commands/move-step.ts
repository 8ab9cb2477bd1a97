import type { Path, StepOutline } from "@sluice/model";
import { moveItem } from "@sluice/model";
import { blockAt, selectedSteps, stepAt, type OpenFlow } from "../document/open-flow.ts";
import { moveSteps, type StepPosition } from "../document/step-edits.ts";
import type { CommandResult, DocumentCommand } from "./command.ts";

/** A command that moves the selected steps to a position. */
export function moveStepsTo(title: string, position: StepPosition): DocumentCommand {
  return { name: "move-steps", title, apply: (flow) => moveSelection(flow, position) };
}

export const moveStepUp: DocumentCommand = {
  name: "move-step-up",
  title: "Move step up",
  shortcut: "Alt+ArrowUp",
  apply(flow) {
    const first = selectedSteps(flow)[0];
    return first === undefined || first.index === 0 ? undefined : moveSelection(flow, { listPath: first.listPath, index: first.index - 1 });
  },
};

export const moveStepDown: DocumentCommand = {
  name: "move-step-down",
  title: "Move step down",
  shortcut: "Alt+ArrowDown",
  apply(flow) {
    const last = selectedSteps(flow).at(-1);
    if (last === undefined || stepAt(flow, [...last.listPath, last.index + 1]) === undefined) return undefined;
    return moveSelection(flow, { listPath: last.listPath, index: last.index + 2 });
  },
};

/** Moves a step out of its parent to the position after it; moves a branch one position to the left. */
export const moveStepOut: DocumentCommand = {
  name: "move-step-out",
  title: "Move step out of its block",
  shortcut: "Alt+ArrowLeft",
  apply(flow) {
    const branch = moveBranch(flow, -1);
    if (branch !== undefined) return branch;
    const first = selectedSteps(flow)[0];
    const parent = first === undefined ? undefined : parentOf(flow, first.listPath);
    return parent === undefined ? undefined : moveSelection(flow, { listPath: parent.listPath, index: parent.index + 1 });
  },
};

/** Moves a step into the block of the previous step, or else of the next one; moves a branch one position to the right. */
export const moveStepIn: DocumentCommand = {
  name: "move-step-in",
  title: "Move step into the adjacent block",
  shortcut: "Alt+ArrowRight",
  apply(flow) {
    const branch = moveBranch(flow, 1);
    if (branch !== undefined) return branch;
    const steps = selectedSteps(flow);
    const [first] = steps;
    if (first === undefined) return undefined;
    const previousBlock = stepAt(flow, [...first.listPath, first.index - 1])?.blocks[0];
    if (previousBlock !== undefined) return moveSelection(flow, { listPath: previousBlock.stepsPath, index: previousBlock.steps.length });
    const nextBlock = stepAt(flow, [...first.listPath, first.index + steps.length])?.blocks[0];
    return nextBlock === undefined ? undefined : moveSelection(flow, { listPath: nextBlock.stepsPath, index: 0 });
  },
};

function moveSelection(flow: OpenFlow, position: StepPosition): CommandResult | undefined {
  const steps = selectedSteps(flow);
  const [first] = steps;
  if (first === undefined) return undefined;
  // Steps cannot be moved into themselves.
  const isNested = position.listPath.length > first.listPath.length && first.listPath.every((part, at) => position.listPath[at] === part);
  const containingIndex = position.listPath[first.listPath.length];
  if (isNested && typeof containingIndex === "number" && containingIndex >= first.index && containingIndex < first.index + steps.length) return undefined;
  const { edit, position: to } = moveSteps(flow.text, { listPath: first.listPath, first: first.index, count: steps.length }, position);
  return { edit, select: [...to.listPath, to.index + steps.length - 1], ...(steps.length > 1 ? { anchor: to.index } : {}) };
}

function moveBranch(flow: OpenFlow, by: 1 | -1): CommandResult | undefined {
  const block = flow.selection === undefined ? undefined : blockAt(flow, flow.selection);
  const index = block?.path.at(-1);
  if (block === undefined || typeof index !== "number") return undefined;
  const list: Path = block.path.slice(0, -1);
  if (blockAt(flow, [...list, index + by]) === undefined) return undefined;
  return { edit: moveItem(flow.text, list, index, list, index + by), select: [...list, index + by] };
}

/** The step that owns a list of steps. */
function parentOf(flow: OpenFlow, listPath: Path): StepOutline | undefined {
  for (let length = listPath.length - 1; length > 0; length--) {
    const step = typeof listPath[length - 1] === "number" ? stepAt(flow, listPath.slice(0, length)) : undefined;
    if (step !== undefined) return step;
  }
  return undefined;
}
