// Matches the steps of two versions, and finds which of them moved.
import type { BlockOutline, StepOutline } from "../outline/flow-outline.ts";
import type { WrittenOptions } from "./option-changes.ts";

/** A step with its position: the enclosing step, and the branch of that step. */
export interface PlacedStep {
  readonly step: StepOutline;
  readonly options: WrittenOptions;
  readonly parent: PlacedStep | undefined;
  /** The name of the branch, with its index among branches of the same name. */
  readonly branch: string;
}

/** All steps of a route, each before its inner steps. */
export function placedSteps(
  steps: readonly StepOutline[],
  optionsOf: (step: StepOutline) => WrittenOptions,
  parent?: PlacedStep,
  branch = "",
): readonly PlacedStep[] {
  return steps.flatMap((step) => {
    const placed: PlacedStep = { step, options: optionsOf(step), parent, branch };
    return [placed, ...step.blocks.flatMap((block) => placedSteps(block.steps, optionsOf, placed, branchKey(step.blocks, block)))];
  });
}

export const branchKey = (blocks: readonly BlockOutline[], block: BlockOutline): string =>
  `${block.name}[${blocks.filter(({ name }) => name === block.name).indexOf(block)}]`;

export type StepMatches = ReadonlyMap<PlacedStep, PlacedStep>;

/** The previous version of each step: matched by written id, else by content, else by kind and order. */
export function matchSteps(before: readonly PlacedStep[], after: readonly PlacedStep[]): StepMatches {
  const unmatched = new Set(before);
  const matches = new Map<PlacedStep, PlacedStep>();
  const match = (keyOf: (placed: PlacedStep) => string | undefined, canMatch: (previous: PlacedStep, current: PlacedStep) => boolean = () => true): void => {
    const candidates = new Map<string, PlacedStep[]>();
    for (const previous of unmatched) {
      const key = keyOf(previous);
      if (key === undefined) continue;
      const list = candidates.get(key);
      if (list === undefined) candidates.set(key, [previous]);
      else list.push(previous);
    }
    for (const list of candidates.values()) list.reverse();
    for (const current of after) {
      const key = matches.has(current) ? undefined : keyOf(current);
      const list = key === undefined ? undefined : candidates.get(key);
      const previous = list?.at(-1);
      if (previous === undefined || !canMatch(previous, current)) continue;
      list?.pop();
      matches.set(current, previous);
      unmatched.delete(previous);
    }
  };
  match(({ step }) => (step.hasOwnId ? `${step.name} ${step.id}` : undefined));
  match(({ step, options }) => `${step.name} ${contentOf(options)}`);
  // Steps with different written ids are different steps.
  match(
    ({ step }) => step.name,
    (previous, current) => !(previous.step.hasOwnId && current.step.hasOwnId),
  );
  return matches;
}

const contentOf = (options: WrittenOptions): string => JSON.stringify([...options].filter(([name]) => name !== "id").toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Steps that moved to another step or branch, or whose order among their siblings changed. */
export function movedSteps(after: readonly PlacedStep[], matches: StepMatches): ReadonlySet<PlacedStep> {
  const moved = new Set<PlacedStep>();
  const unmoved = new Map<PlacedStep | undefined, Map<string, PlacedStep[]>>();
  for (const current of after) {
    const previous = matches.get(current);
    if (previous === undefined) continue;
    const formerParent = current.parent === undefined ? undefined : matches.get(current.parent);
    const isSamePlace = previous.parent === formerParent && previous.branch === current.branch && (current.parent === undefined || formerParent !== undefined);
    if (!isSamePlace) {
      moved.add(current);
      continue;
    }
    const branches = unmoved.get(current.parent) ?? new Map<string, PlacedStep[]>();
    unmoved.set(current.parent, branches);
    const branch = branches.get(current.branch);
    if (branch === undefined) branches.set(current.branch, [current]);
    else branch.push(current);
  }
  for (const branches of unmoved.values()) {
    for (const steps of branches.values()) {
      const inOrder = longestIncreasing(steps.map((step) => (matches.get(step) as PlacedStep).step.index));
      steps.forEach((step, index) => inOrder.has(index) || moved.add(step));
    }
  }
  return moved;
}

/** The positions of a longest increasing subsequence: the fewest other steps are then reported as moved. */
function longestIncreasing(values: readonly number[]): ReadonlySet<number> {
  const tails: number[] = [];
  const previous: number[] = [];
  values.forEach((value, at) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = tails[low - 1] ?? -1;
    tails[low] = at;
  });
  const positions = new Set<number>();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] as number) positions.add(at);
  return positions;
}
