// The systems outside the runtime that a flow can call.
import { outlineOf, readTree, type BlockOutline, type StepOutline } from "@sluice/model";
import { stepLabel } from "../canvas/card-label.ts";
import { stepValues, withDefaults } from "../canvas/card-text.ts";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";

export interface CalledSystem {
  readonly name: string;
  /** What is called there: a method and path, a topic, a statement. */
  readonly detail: string;
}

/** The external endpoints of all routes and error handlers, each once; undefined for text that cannot be parsed. */
export function calledSystems(text: string, flowId: string, catalog: FlowCatalog): readonly CalledSystem[] | undefined {
  const { tree } = readTree(text);
  if (tree === undefined) return undefined;
  const { routes, entities } = outlineOf(tree, flowId);
  const systems = new Map<string, CalledSystem>();
  const visit = (steps: readonly StepOutline[]): void => {
    for (const step of steps) {
      if (step.disabled) continue;
      const system = systemOf(step, catalog);
      if (system !== undefined) systems.set(`${system.name} ${system.detail}`, system);
      visitBlocks(step.blocks);
    }
  };
  const visitBlocks = (blocks: readonly BlockOutline[]): void => blocks.forEach((block) => block.disabled || visit(block.steps));
  for (const { steps } of routes) visit(steps);
  for (const { blocks } of entities) visitBlocks(blocks);
  return [...systems.values()];
}

function systemOf(step: StepOutline, catalog: FlowCatalog): CalledSystem | undefined {
  const uri = withDefaults(stepValues(step, catalog.step(step.name), catalog)["uri"] ?? "");
  const connector = catalog.connector(uri);
  if (uri === "" || connector?.local === true) return undefined;
  if (connector === undefined) return { name: uri, detail: "" };
  // Without the description, the title names the system.
  const { title, subtitle } = stepLabel({ ...step, description: undefined }, catalog);
  return { name: title, detail: subtitle };
}
