// Steps that a test, a breakpoint or a mock response refers to get an id in the flow, because a generated id such as `to2` belongs to another
// step after the next insertion.
import { combinedEdit, type Edit, everyStep, setAt, slug, type StepOutline } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import type { OpenFlow } from "../document/open-flow.ts";

/** Generated ids are unique only within a route. */
export interface StepReference {
  readonly routeId: string;
  readonly stepId: string;
}

export const referenceKey = ({ routeId, stepId }: StepReference): string => `${routeId}/${stepId}`;

export interface WrittenIds {
  readonly edit: Edit;
  /** The new ids by `referenceKey`. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Writes an id for each referenced step that has none; undefined when there is no id to write. */
export function writeIds(flow: OpenFlow, references: readonly StepReference[], catalog: FlowCatalog | undefined): WrittenIds | undefined {
  const routes = flow.lastValid?.outline.routes ?? [];
  const steps = new Map(
    routes.flatMap(({ id, steps: routeSteps }) => [...everyStep(routeSteps)].map((step) => [referenceKey({ routeId: id, stepId: step.id }), step])),
  );
  const usedIds = new Set([...steps.values()].map(({ id }) => id));
  const ids = new Map<string, string>();
  let text = flow.text;
  for (const key of new Set(references.map(referenceKey))) {
    const step = steps.get(key);
    if (step === undefined || step.hasOwnId) continue;
    const id = slug(nameOf(step, catalog), (candidate) => usedIds.has(candidate));
    const shorthand = catalog?.step(step.name)?.shorthand;
    const path = [...step.path, step.name];
    const edit = setAt(text, [...path, "id"], id, shorthand === undefined ? new Map() : new Map([[path.length, shorthand]]));
    if (!edit.ok) return { edit, ids };
    usedIds.add(id);
    ids.set(key, id);
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
