import { removeOption, setAt } from "@sluice/model";
import { blockAt, selectedSteps, type OpenFlow } from "../document/open-flow.ts";
import { inSequence } from "../document/step-edits.ts";
import type { DocumentCommand } from "./command.ts";

/** A command that disables or enables the selected steps without deleting them; `shorthand` names the option that a bare scalar sets. */
export function toggleDisabledWith(shorthand: (step: string) => string | undefined): DocumentCommand {
  return {
    name: "toggle-disabled",
    title: "Disable or enable step",
    shortcut: "D",
    apply(flow) {
      const places = placesOf(flow);
      if (places.length === 0) return undefined;
      const enable = places.every(({ disabled }) => disabled);
      const changes = places
        .filter(({ disabled }) => disabled === enable)
        .map(({ options, name }) => (text: string) => {
          if (enable) return removeOption(text, options, "disabled");
          const option = shorthand(name);
          return setAt(text, [...options, "disabled"], "true", option === undefined ? new Map() : new Map([[options.length, option]]));
        });
      return { edit: inSequence(flow.text, changes) };
    },
  };
}

function placesOf(flow: OpenFlow): readonly { readonly options: readonly (string | number)[]; readonly name: string; readonly disabled: boolean }[] {
  const block = flow.selection === undefined ? undefined : blockAt(flow, flow.selection);
  if (block !== undefined) return [{ options: block.path, name: block.name, disabled: block.disabled }];
  return selectedSteps(flow).map(({ path, name, disabled }) => ({ options: [...path, name], name, disabled }));
}
