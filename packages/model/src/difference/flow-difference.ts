// The changes between two versions of a flow, by route and step instead of by line. Values are compared as written: values of placeholders, which may
// be secret, are not compared.
import { asFlowTree } from "../documents/camel-document.ts";
import { treeAt } from "../flow/tree-at.ts";
import type { Tree } from "../flow/tree.ts";
import { outlineOf, pathKey, type EntityOutline, type Outline, type RouteOutline, type StepOutline } from "../outline/flow-outline.ts";
import { readTree } from "../read/read-tree.ts";
import { allTexts, optionChanges, writtenOptions, type OptionChange } from "./option-changes.ts";
import { branchKey, movedSteps, matchSteps, placedSteps, type StepMatches, type PlacedStep } from "./match-steps.ts";

export interface RouteChange {
  readonly change: "added" | "changed" | "removed";
  /** The current route, or the previous one if it was removed. */
  readonly route: RouteOutline;
  readonly options: readonly OptionChange[];
}

export interface StepChange {
  /** A changed step may have moved too. */
  readonly change: "added" | "changed" | "moved" | "removed";
  readonly routeId: string;
  /** The current step, or the previous one if it was removed. */
  readonly step: StepOutline;
  readonly options: readonly OptionChange[];
  /** Only for a removed step: its position in the current list of steps. Undefined when the list was removed too. */
  readonly gap: StepGap | undefined;
}

export interface StepGap {
  /** The path of the list as text. */
  readonly list: string;
  /** Index of the step that followed it; the length of the list if it was the last. */
  readonly index: number;
}

/** A change to an element that is neither a route nor a step, such as `onException` or `beans`. */
export interface ElementChange {
  readonly change: "added" | "changed" | "removed";
  readonly element: EntityOutline;
  readonly options: readonly OptionChange[];
}

export interface FlowDifference {
  readonly before: Outline;
  readonly after: Outline;
  readonly routes: readonly RouteChange[];
  /** Steps of routes that both versions have. */
  readonly steps: readonly StepChange[];
  readonly elements: readonly ElementChange[];
}

/** A parsed version of a flow. */
export interface FlowVersion {
  readonly tree: Tree;
  readonly outline: Outline;
}

/** Compares two versions; undefined when one cannot be read. */
export function flowDifference(before: string, after: string, flowId: string): FlowDifference | undefined {
  const [old, now] = [readTree(before).tree, readTree(after).tree];
  return old === undefined || now === undefined ? undefined : versionDifference(flowVersion(old, flowId), flowVersion(now, flowId));
}

export function flowVersion(document: Tree, flowId: string): FlowVersion {
  const { tree } = asFlowTree(document);
  return { tree, outline: outlineOf(tree, flowId) };
}

export function versionDifference(old: FlowVersion, now: FlowVersion): FlowDifference {
  const [oldRoutes, newRoutes] = [byId(old.outline), byId(now.outline)];
  const both = now.outline.routes.flatMap((route) => {
    const was = oldRoutes.get(route.id);
    return was === undefined ? [] : [[was, route] as const];
  });
  return {
    before: old.outline,
    after: now.outline,
    routes: [
      ...now.outline.routes.filter(({ id }) => !oldRoutes.has(id)).map((route): RouteChange => ({ change: "added", route, options: [] })),
      ...both.flatMap(([was, is]): readonly RouteChange[] => {
        const options = optionChanges(routeOptions(old.tree, was), routeOptions(now.tree, is));
        return options.length === 0 ? [] : [{ change: "changed", route: is, options }];
      }),
      ...old.outline.routes.filter(({ id }) => !newRoutes.has(id)).map((route): RouteChange => ({ change: "removed", route, options: [] })),
    ],
    steps: both.flatMap(([was, is]) => stepChanges({ version: old, route: was }, { version: now, route: is })),
    elements: elementChanges(old, now),
  };
}

const byId = ({ routes }: Outline): ReadonlyMap<string, RouteOutline> => new Map(routes.map((route) => [route.id, route]));

function routeOptions(tree: Tree, { path }: RouteOutline) {
  const item = treeAt(tree, path);
  const entry = item?.type === "map" ? item.entries[0] : undefined;
  // `- from:` is the short form of `- route: {from: …}`.
  const inner = entry?.key === "from" && item?.type === "map" ? item : entry?.value;
  return writtenOptions(inner, (name) => name === "id");
}

interface RouteVersion {
  readonly version: FlowVersion;
  readonly route: RouteOutline;
}

function stepChanges(old: RouteVersion, now: RouteVersion): readonly StepChange[] {
  const placed = ({ version, route }: RouteVersion): readonly PlacedStep[] =>
    placedSteps(route.steps, ({ path, name }) => writtenOptions(treeAt(version.tree, [...path, name])));
  const [before, after] = [placed(old), placed(now)];
  const matches = matchSteps(before, after);
  const moved = movedSteps(after, matches);
  const routeId = now.route.id;
  const found = after.flatMap((is): readonly StepChange[] => {
    const was = matches.get(is);
    const change = { routeId, step: is.step, gap: undefined };
    if (was === undefined) return [{ ...change, change: "added", options: [] }];
    const options = optionChanges(was.options, is.options);
    if (options.length > 0) return [{ ...change, change: "changed", options }];
    return moved.has(is) ? [{ ...change, change: "moved", options: [] }] : [];
  });
  const kept = new Map([...matches].map(([is, was]) => [was, is]));
  const removed = before.filter((was) => !kept.has(was));
  return [
    ...found,
    ...removed.map((was): StepChange => ({ change: "removed", routeId, step: was.step, options: [], gap: gapOf(was, before, kept, now.route) })),
  ];
}

/** The gap is before the next step that is still in the same list. */
function gapOf(removed: PlacedStep, before: readonly PlacedStep[], kept: StepMatches, route: RouteOutline): StepGap | undefined {
  const parent = removed.parent === undefined ? undefined : kept.get(removed.parent);
  if (removed.parent !== undefined && parent === undefined) return undefined;
  const block = parent?.step.blocks.find((candidate) => branchKey(parent.step.blocks, candidate) === removed.branch);
  if (parent !== undefined && block === undefined) return undefined;
  const list = pathKey(block?.stepsPath ?? route.stepsPath);
  const next = before
    .filter((was) => was.parent === removed.parent && was.branch === removed.branch && was.step.index > removed.step.index)
    .map((was) => kept.get(was)?.step)
    .find((step) => step !== undefined && pathKey(step.listPath) === list);
  return { list, index: next?.index ?? (block?.steps ?? route.steps).length };
}

/** Elements of the same kind are compared in order. */
function elementChanges(old: FlowVersion, now: FlowVersion): readonly ElementChange[] {
  const texts = ({ tree }: FlowVersion, { path, name }: EntityOutline) => {
    const value = treeAt(tree, [...path, name]);
    return value === undefined ? new Map<string, string>() : allTexts(value);
  };
  const left = [...old.outline.entities];
  const take = (fits: (was: EntityOutline) => boolean): EntityOutline | undefined => {
    const index = left.findIndex(fits);
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
  // Unchanged elements first, so that an inserted element does not shift the others of its kind.
  const others = now.outline.entities.filter((is) => {
    const own = texts(now, is);
    return take((was) => was.name === is.name && optionChanges(texts(old, was), own).length === 0) === undefined;
  });
  const found = others.map((element): ElementChange => {
    const was = take(({ name }) => name === element.name);
    if (was === undefined) return { change: "added", element, options: [] };
    return { change: "changed", element, options: optionChanges(texts(old, was), texts(now, element)) };
  });
  return [...found, ...left.map((element): ElementChange => ({ change: "removed", element, options: [] }))];
}
