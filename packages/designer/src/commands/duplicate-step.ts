import { selectedSteps } from "../document/open-flow.ts";
import { insertSteps, rangeYaml } from "../document/step-edits.ts";
import type { DocumentCommand } from "./command.ts";
import { withUniqueStepIds } from "./unique-ids.ts";

/** Inserts copies after the selected steps; ids in the copies are made unique. */
export const duplicateStep: DocumentCommand = {
  name: "duplicate-step",
  title: "Duplicate step",
  shortcut: "Mod+D",
  apply(flow) {
    const steps = selectedSteps(flow);
    const [first] = steps;
    if (first === undefined) return undefined;
    const { listPath } = first;
    const index = first.index + steps.length;
    const yamls = withUniqueStepIds(rangeYaml(flow.text, { listPath, first: first.index, count: steps.length }), flow);
    return {
      edit: insertSteps(flow.text, { listPath, index }, yamls),
      select: [...listPath, index + steps.length - 1],
      ...(steps.length > 1 ? { anchor: index } : {}),
    };
  },
};
