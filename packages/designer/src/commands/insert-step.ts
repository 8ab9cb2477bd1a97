import { type Path, pathKey } from "@sluice/model";
import { blockAt, selectedSteps, type OpenFlow } from "../document/open-flow.ts";
import { insertSteps, type StepPosition } from "../document/step-edits.ts";
import type { DocumentCommand } from "./command.ts";
import { withUniqueStepIds } from "./unique-ids.ts";

/** A command that inserts a step, given as YAML, after the selected ones. */
export function insertStep(title: string, yaml: string): DocumentCommand {
  return insertStepsAt(title, [yaml], positionAfterSelection);
}

/** A command that inserts steps at a position. */
export function insertStepsAt(
  title: string,
  yamls: readonly string[],
  position: StepPosition | ((flow: OpenFlow) => StepPosition | undefined),
): DocumentCommand {
  return {
    name: "insert-step",
    title,
    apply(flow) {
      const at = typeof position === "function" ? position(flow) : position;
      if (at === undefined || yamls.length === 0) return undefined;
      return {
        edit: insertSteps(flow.text, at, withUniqueStepIds(yamls, flow)),
        select: [...at.listPath, at.index + yamls.length - 1],
        ...(yamls.length > 1 ? { anchor: at.index } : {}),
      };
    },
  };
}

/** After the selected steps, inside the selected branch, route or element, or at the end of the first route. */
export function positionAfterSelection(flow: OpenFlow): StepPosition | undefined {
  const last = selectedSteps(flow).at(-1);
  if (last !== undefined) return { listPath: last.listPath, index: last.index + 1 };
  const inside = positionInside(flow, flow.selection);
  if (inside !== undefined) return inside;
  const first = flow.lastValid?.outline.routes[0];
  return first === undefined ? undefined : { listPath: first.stepsPath, index: first.steps.length };
}

/** A position in a branch, a route, a top-level element or the block of a step. */
export function positionInside(flow: OpenFlow, path: Path | undefined, isContainer: (step: string) => boolean = () => false): StepPosition | undefined {
  if (path === undefined) return undefined;
  const block = blockAt(flow, path);
  if (block !== undefined) return { listPath: block.stepsPath, index: 0 };
  const key = pathKey(path);
  const route = flow.lastValid?.outline.routes.find(({ from }) => pathKey(from.path) === key);
  if (route !== undefined) return { listPath: route.stepsPath, index: 0 };
  const entityBlock = flow.lastValid?.outline.entities.find((entity) => pathKey(entity.path) === key)?.blocks[0];
  if (entityBlock !== undefined) return { listPath: entityBlock.stepsPath, index: entityBlock.steps.length };
  const step = selectedSteps(flow).at(-1);
  if (step === undefined || pathKey(step.path) !== key) return undefined;
  const inner = step.blocks[0];
  if (inner !== undefined) return { listPath: inner.stepsPath, index: inner.steps.length };
  return isContainer(step.name) ? { listPath: [...step.path, step.name, "steps"], index: 0 } : undefined;
}
