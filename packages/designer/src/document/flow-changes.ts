// What changed between two versions of a flow, by route and step instead of by line.
import { everyStep, type OptionTexts, type Outline, type RouteOutline, type StepOutline } from "./outline.ts";

interface OptionChange {
  readonly name: string;
  /** Undefined when it was not set. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface StepChange {
  readonly kind: "added" | "changed" | "removed";
  readonly routeId: string;
  /** The step as it is now, or as it was if it is removed. */
  readonly step: StepOutline;
  readonly options: readonly OptionChange[];
}

export interface FlowChanges {
  readonly addedRoutes: readonly RouteOutline[];
  readonly removedRoutes: readonly RouteOutline[];
  /** Routes whose address changed: who calls them, or what they read from, is affected. */
  readonly addresses: readonly { readonly routeId: string; readonly before: string; readonly after: string }[];
  readonly steps: readonly StepChange[];
}

export function flowChanges(before: Outline, after: Outline): FlowChanges {
  const old = new Map(before.routes.map((route) => [route.id, route]));
  const now = new Map(after.routes.map((route) => [route.id, route]));
  const both = after.routes.flatMap((route) => {
    const was = old.get(route.id);
    return was === undefined ? [] : [[was, route] as const];
  });
  return {
    addedRoutes: after.routes.filter(({ id }) => !old.has(id)),
    removedRoutes: before.routes.filter(({ id }) => !now.has(id)),
    addresses: both
      .filter(([was, is]) => optionChanges(endpointOf(was), endpointOf(is)).length > 0)
      .map(([was, is]) => ({ routeId: is.id, before: was.from.uri, after: is.from.uri })),
    steps: both.flatMap(([was, is]) => stepChanges(is.id, [...everyStep(was.steps)], [...everyStep(is.steps)])),
  };
}

const endpointOf = ({ from }: RouteOutline): OptionTexts => ({ ...from.options, uri: from.uri });

/** Steps are the same by written id, else by content, else by kind and order. */
function stepChanges(routeId: string, before: readonly StepOutline[], after: readonly StepOutline[]): readonly StepChange[] {
  const left = new Set(before);
  const partners = new Map<StepOutline, StepOutline>();
  const match = (same: (was: StepOutline, is: StepOutline) => boolean): void => {
    for (const is of after) {
      if (partners.has(is)) continue;
      const was = [...left].find((candidate) => same(candidate, is));
      if (was === undefined) continue;
      partners.set(is, was);
      left.delete(was);
    }
  };
  match((was, is) => is.hasOwnId && was.hasOwnId && was.id === is.id && was.name === is.name);
  match((was, is) => was.name === is.name && was.detail === is.detail && changesOf(was, is).length === 0);
  match((was, is) => was.name === is.name && !(was.hasOwnId && is.hasOwnId));
  const found = after.flatMap((step): readonly StepChange[] => {
    const was = partners.get(step);
    if (was === undefined) return [{ kind: "added", routeId, step, options: [] }];
    const options = changesOf(was, step);
    return options.length === 0 ? [] : [{ kind: "changed", routeId, step, options }];
  });
  return [...found, ...[...left].map((step): StepChange => ({ kind: "removed", routeId, step, options: [] }))];
}

function changesOf(was: StepOutline, is: StepOutline): readonly OptionChange[] {
  const changes = optionChanges({ ...was.options, disabled: String(was.disabled) }, { ...is.options, disabled: String(is.disabled) });
  return changes.length === 0 && was.detail !== is.detail ? [{ name: "", before: was.detail, after: is.detail }] : changes;
}

function optionChanges(before: OptionTexts, after: OptionTexts): readonly OptionChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ name, before: before[name], after: after[name] }));
}
