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
  const [old, latest] = [readTree(before).tree, readTree(after).tree];
  return old === undefined || latest === undefined ? undefined : versionDifference(flowVersion(old, flowId), flowVersion(latest, flowId));
}

export function flowVersion(document: Tree, flowId: string): FlowVersion {
  const { tree } = asFlowTree(document);
  return { tree, outline: outlineOf(tree, flowId) };
}

export function versionDifference(old: FlowVersion, latest: FlowVersion): FlowDifference {
  const [oldRoutes, newRoutes] = [byId(old.outline), byId(latest.outline)];
  const both = latest.outline.routes.flatMap((route) => {
    const previous = oldRoutes.get(route.id);
    return previous === undefined ? [] : [[previous, route] as const];
  });
  return {
    before: old.outline,
    after: latest.outline,
    routes: [
      ...latest.outline.routes.filter(({ id }) => !oldRoutes.has(id)).map((route): RouteChange => ({ change: "added", route, options: [] })),
      ...both.flatMap(([previous, current]): readonly RouteChange[] => {
        const options = optionChanges(routeOptions(old.tree, previous), routeOptions(latest.tree, current));
        return options.length === 0 ? [] : [{ change: "changed", route: current, options }];
      }),
      ...old.outline.routes.filter(({ id }) => !newRoutes.has(id)).map((route): RouteChange => ({ change: "removed", route, options: [] })),
    ],
    steps: both.flatMap(([previous, current]) => stepChanges({ version: old, route: previous }, { version: latest, route: current })),
    elements: elementChanges(old, latest),
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

function stepChanges(old: RouteVersion, latest: RouteVersion): readonly StepChange[] {
  const placedStepsOf = ({ version, route }: RouteVersion): readonly PlacedStep[] =>
    placedSteps(route.steps, ({ path, name }) => writtenOptions(treeAt(version.tree, [...path, name])));
  const [before, after] = [placedStepsOf(old), placedStepsOf(latest)];
  const matches = matchSteps(before, after);
  const moved = movedSteps(after, matches);
  const routeId = latest.route.id;
  const found = after.flatMap((current): readonly StepChange[] => {
    const previous = matches.get(current);
    const change = { routeId, step: current.step, gap: undefined };
    if (previous === undefined) return [{ ...change, change: "added", options: [] }];
    const options = optionChanges(previous.options, current.options);
    if (options.length > 0) return [{ ...change, change: "changed", options }];
    return moved.has(current) ? [{ ...change, change: "moved", options: [] }] : [];
  });
  const matched = new Map([...matches].map(([current, previous]) => [previous, current]));
  const removed = before.filter((previous) => !matched.has(previous));
  return [
    ...found,
    ...removed.map((previous): StepChange => ({
      change: "removed",
      routeId,
      step: previous.step,
      options: [],
      gap: gapOf(previous, before, matched, latest.route),
    })),
  ];
}

/** The gap is before the next step that is still in the same list. */
function gapOf(removed: PlacedStep, before: readonly PlacedStep[], matched: StepMatches, route: RouteOutline): StepGap | undefined {
  const parent = removed.parent === undefined ? undefined : matched.get(removed.parent);
  if (removed.parent !== undefined && parent === undefined) return undefined;
  const block = parent?.step.blocks.find((candidate) => branchKey(parent.step.blocks, candidate) === removed.branch);
  if (parent !== undefined && block === undefined) return undefined;
  const list = pathKey(block?.stepsPath ?? route.stepsPath);
  const next = before
    .filter((previous) => previous.parent === removed.parent && previous.branch === removed.branch && previous.step.index > removed.step.index)
    .map((previous) => matched.get(previous)?.step)
    .find((step) => step !== undefined && pathKey(step.listPath) === list);
  return { list, index: next?.index ?? (block?.steps ?? route.steps).length };
}

/** Elements of the same kind are compared in order. */
function elementChanges(old: FlowVersion, latest: FlowVersion): readonly ElementChange[] {
  const texts = ({ tree }: FlowVersion, { path, name }: EntityOutline) => {
    const value = treeAt(tree, [...path, name]);
    return value === undefined ? new Map<string, string>() : allTexts(value);
  };
  const remaining = [...old.outline.entities];
  const takeFirst = (matches: (previous: EntityOutline) => boolean): EntityOutline | undefined => {
    const index = remaining.findIndex(matches);
    return index === -1 ? undefined : remaining.splice(index, 1)[0];
  };
  // Unchanged elements first, so that an inserted element does not shift the others of its kind.
  const others = latest.outline.entities.filter((current) => {
    const currentTexts = texts(latest, current);
    return takeFirst((previous) => previous.name === current.name && optionChanges(texts(old, previous), currentTexts).length === 0) === undefined;
  });
  const found = others.map((element): ElementChange => {
    const previous = takeFirst(({ name }) => name === element.name);
    if (previous === undefined) return { change: "added", element, options: [] };
    return { change: "changed", element, options: optionChanges(texts(old, previous), texts(latest, element)) };
  });
  return [...found, ...remaining.map((element): ElementChange => ({ change: "removed", element, options: [] }))];
}
