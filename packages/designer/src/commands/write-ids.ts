// Steps that a test or a typed response names get an id written into the flow: a generated one such as `to2` would name another step
// after the next insertion.
import { combinedEdit, type Edit, everyStep, setAt, slug, type StepOutline } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import type { OpenFlow } from "../document/open-flow.ts";

export interface WrittenIds {
  readonly edit: Edit;
  /** The written id of each generated one. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Writes an id for each of the steps that has none; undefined when all of them have one. */
export function writeIds(flow: OpenFlow, stepIds: readonly string[], catalog: FlowCatalog | undefined): WrittenIds | undefined {
  const all = (flow.lastValid?.outline.routes ?? []).flatMap((route) => [...everyStep(route.steps)]);
  const usedIds = new Set(all.map(({ id }) => id));
  const ids = new Map<string, string>();
  let text = flow.text;
  for (const stepId of new Set(stepIds)) {
    const step = all.find(({ id }) => id === stepId);
    if (step === undefined || step.hasOwnId) continue;
    const id = slug(nameOf(step, catalog), (candidate) => usedIds.has(candidate));
    const shorthand = catalog?.step(step.name)?.shorthand;
    const path = [...step.path, step.name];
    const edit = setAt(text, [...path, "id"], id, shorthand === undefined ? new Map() : new Map([[path.length, shorthand]]));
    if (!edit.ok) return { edit, ids };
    usedIds.add(id);
    ids.set(stepId, id);
    text = edit.source;
  }
  return ids.size === 0 ? undefined : { edit: combinedEdit(flow.text, text), ids };
}

/** The text that the id is made from: the description of the step, or its kind and target, as in `http orders` or `set body`. */
function nameOf({ description, name, detail }: StepOutline, catalog: FlowCatalog | undefined): string {
  if (description !== undefined) return description;
  const connector = catalog?.connector(detail);
  if (connector === undefined) return name.replaceAll(/([a-z])([A-Z])/g, "$1 $2");
  const [address = ""] = detail.split("?");
  return `${connector.scheme} ${address.split(/[/:]/).findLast((part) => part !== "") ?? ""}`;
}
