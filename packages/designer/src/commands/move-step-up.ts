import { moveItem } from "@sluice/model";
import { selectedStep } from "../document/open-flow.ts";
import type { DocumentCommand } from "./command.ts";

/** Moves the selected step one place up in its list. */
export const moveStepUp: DocumentCommand = {
  name: "move-step-up",
  title: "Move step up",
  shortcut: "Alt+ArrowUp",
  apply(flow) {
    const step = selectedStep(flow);
    const index = (step?.index ?? 0) + -1;
    if (step === undefined || index < 0) return undefined;
    const edit = moveItem(flow.text, step.listPath, step.index, step.listPath, index);
    return edit.ok ? { edit, select: [...step.listPath, index] } : undefined;
  },
};
