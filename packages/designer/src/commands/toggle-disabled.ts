import { removeOption, setAt } from "@sluice/model";
import { blockAt, selectedSteps, type OpenFlow } from "../document/open-flow.ts";
import { inSequence } from "../document/step-edits.ts";
import type { DocumentCommand } from "./command.ts";

/** A command that disables or enables the selected steps or branch; `shorthand` names the option that a bare scalar sets. */
export function toggleDisabledWith(shorthand: (step: string) => string | undefined): DocumentCommand {
  return {
    name: "toggle-disabled",
    title: "Disable or enable step",
    shortcut: "D",
    apply(flow) {
      const items = selectedItems(flow);
      if (items.length === 0) return undefined;
      const enable = items.every(({ disabled }) => disabled);
      const changes = items
        .filter(({ disabled }) => disabled === enable)
        .map(({ optionsPath, name }) => (text: string) => {
          if (enable) return removeOption(text, optionsPath, "disabled");
          const option = shorthand(name);
          return setAt(text, [...optionsPath, "disabled"], "true", option === undefined ? new Map() : new Map([[optionsPath.length, option]]));
        });
      return { edit: inSequence(flow.text, changes) };
    },
  };
}

function selectedItems(flow: OpenFlow): readonly { readonly optionsPath: readonly (string | number)[]; readonly name: string; readonly disabled: boolean }[] {
  const block = flow.selection === undefined ? undefined : blockAt(flow, flow.selection);
  if (block !== undefined) return [{ optionsPath: block.path, name: block.name, disabled: block.disabled }];
  return selectedSteps(flow).map(({ path, name, disabled }) => ({ optionsPath: [...path, name], name, disabled }));
}
