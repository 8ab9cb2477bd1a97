import { insertItem } from "@sluice/model";
import { pathKey } from "../document/outline.ts";
import { selectedStep, type OpenFlow } from "../document/open-flow.ts";
import type { DocumentCommand } from "./command.ts";
import { withFreshIds } from "./fresh-ids.ts";

/** A command that puts a step, written as YAML, behind the selected one: first in the route whose trigger is selected, last in the first route otherwise. */
export function insertStep(title: string, yaml: string): DocumentCommand {
  return {
    name: "insert-step",
    title,
    apply(flow) {
      const place = placeAfterSelection(flow);
      if (place === undefined) return undefined;
      return { edit: insertItem(flow.text, place.listPath, place.index, withFreshIds(yaml, flow)), select: [...place.listPath, place.index] };
    },
  };
}

function placeAfterSelection(flow: OpenFlow): { listPath: readonly (string | number)[]; index: number } | undefined {
  const step = selectedStep(flow);
  if (step !== undefined) return { listPath: step.listPath, index: step.index + 1 };
  const routes = flow.good?.outline.routes ?? [];
  const chosen = flow.selection === undefined ? undefined : routes.find((route) => pathKey(route.from.path) === pathKey(flow.selection ?? []));
  if (chosen !== undefined) return { listPath: chosen.stepsPath, index: 0 };
  const first = routes[0];
  return first === undefined ? undefined : { listPath: first.stepsPath, index: first.steps.length };
}
