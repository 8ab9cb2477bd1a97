import { currentCatalog } from "../catalog/use-catalog.ts";
import type { DocumentCommand } from "./command.ts";
import { duplicateStep } from "./duplicate-step.ts";
import { moveStepDown, moveStepIn, moveStepOut, moveStepUp } from "./move-step.ts";
import { removeStep } from "./remove-step.ts";
import { toggleDisabledWith } from "./toggle-disabled.ts";
import { unwrap } from "./wrap-steps.ts";

const toggleDisabled = toggleDisabledWith((step) => currentCatalog()?.step(step)?.shorthand);

/** All changes to the selected step that need no further input. */
export const documentCommands: readonly DocumentCommand[] = [
  removeStep,
  duplicateStep,
  moveStepUp,
  moveStepDown,
  moveStepOut,
  moveStepIn,
  toggleDisabled,
  unwrap,
];
