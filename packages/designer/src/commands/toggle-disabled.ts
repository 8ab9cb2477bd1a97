import { removeOption, setOption } from "@sluice/model";
import { selectedStep } from "../document/open-flow.ts";
import type { DocumentCommand } from "./command.ts";

/** Takes the selected step out of service, or back into it, without deleting it. */
export const toggleDisabled: DocumentCommand = {
  name: "toggle-disabled",
  title: "Disable or enable step",
  shortcut: "D",
  apply(flow) {
    const step = selectedStep(flow);
    if (step === undefined) return undefined;
    const options = [...step.path, step.name];
    return { edit: step.disabled ? removeOption(flow.text, options, "disabled") : setOption(flow.text, options, "disabled", "true") };
  },
};
