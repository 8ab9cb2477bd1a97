import type { DocumentCommand } from "./command.ts";
import { duplicateStep } from "./duplicate-step.ts";
import { moveStepDown } from "./move-step-down.ts";
import { moveStepUp } from "./move-step-up.ts";
import { removeStep } from "./remove-step.ts";
import { toggleDisabled } from "./toggle-disabled.ts";

/** Every change of the selected step that needs nothing but the selection. */
export const documentCommands: readonly DocumentCommand[] = [removeStep, duplicateStep, moveStepUp, moveStepDown, toggleDisabled];
