import { insertItem, itemText } from "@sluice/model";
import { selectedStep } from "../document/open-flow.ts";
import type { DocumentCommand } from "./command.ts";
import { withFreshIds } from "./fresh-ids.ts";

/** Puts a copy behind the selected step; ids inside the copy are made unique. */
export const duplicateStep: DocumentCommand = {
  name: "duplicate-step",
  title: "Duplicate step",
  shortcut: "Mod+D",
  apply(flow) {
    const step = selectedStep(flow);
    const yaml = step === undefined ? undefined : itemText(flow.text, step.listPath, step.index);
    if (step === undefined || yaml === undefined) return undefined;
    return { edit: insertItem(flow.text, step.listPath, step.index + 1, withFreshIds(yaml, flow)), select: [...step.listPath, step.index + 1] };
  },
};
