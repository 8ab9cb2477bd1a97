import { addEntry, insertItem, replaceItem, setYamlAt, type Path } from "@sluice/model";
import { branchYaml } from "../catalog/starter-yaml.ts";
import type { BranchView } from "../catalog/flow-catalog.ts";
import { selectedStep, selectedSteps, stepAt } from "../document/open-flow.ts";
import { inSequence, unwrapStep, wrapSteps } from "../document/step-edits.ts";
import type { DocumentCommand } from "./command.ts";
import { withUniqueIds } from "./unique-ids.ts";

/** A command that wraps the selected steps in a block; `yaml` is the block with an empty `steps: []`. */
export function wrapIn(title: string, yaml: string): DocumentCommand {
  return {
    name: "wrap-steps",
    title,
    apply(flow) {
      const steps = selectedSteps(flow);
      const [first] = steps;
      if (first === undefined) return undefined;
      const range = { listPath: first.listPath, first: first.index, count: steps.length };
      return { edit: wrapSteps(flow.text, range, yaml), select: first.path };
    },
  };
}

/** Replaces the selected block with its inner steps. */
export const unwrap: DocumentCommand = {
  name: "unwrap-step",
  title: "Unwrap: keep only the steps inside",
  shortcut: "Shift+W",
  apply(flow) {
    const step = selectedStep(flow);
    const blocks = step?.blocks.filter((block) => block.steps.length > 0) ?? [];
    if (step === undefined || blocks.length === 0) return undefined;
    return {
      edit: unwrapStep(
        flow.text,
        { listPath: step.listPath, index: step.index },
        blocks.map((block) => block.stepsPath),
      ),
      select: step.path,
    };
  },
};

/** A command that replaces the selected step with another; id and description are kept. */
export function replaceStepWith(title: string, yaml: string): DocumentCommand {
  return {
    name: "replace-step",
    title,
    apply(flow) {
      const step = selectedStep(flow);
      if (step === undefined) return undefined;
      const name = /^[\w-]+/.exec(yaml)?.[0] ?? "";
      const preserved = [
        ...(step.hasOwnId ? [["id", step.id] as const] : []),
        ...(step.description === undefined ? [] : [["description", step.description] as const]),
      ];
      const edit = inSequence(flow.text, [
        (text) => replaceItem(text, step.listPath, step.index, yaml),
        ...preserved.map(
          ([key, value]) =>
            (text: string) =>
              addEntry(text, [...step.path, name], key, JSON.stringify(value)),
        ),
      ]);
      return { edit, select: step.path };
    },
  };
}

/** A command that adds a branch to the step at a path. */
export function addBranch(title: string, stepPath: Path, branch: BranchView): DocumentCommand {
  return {
    name: "add-branch",
    title,
    apply(flow) {
      const step = stepAt(flow, stepPath);
      if (step === undefined) return undefined;
      const { name } = branch.option;
      const path = [...step.path, step.name, name];
      const yaml = withUniqueIds(branchYaml(branch), flow);
      const existing = step.blocks.filter((block) => block.name === name);
      if (!branch.many) return existing.length > 0 ? undefined : { edit: setYamlAt(flow.text, path, yaml), select: path };
      const index = existing.length;
      const edit = index === 0 ? setYamlAt(flow.text, path, `- ${yaml.replaceAll("\n", "\n  ")}`) : insertItem(flow.text, path, index, yaml);
      return { edit, select: [...path, index] };
    },
  };
}
