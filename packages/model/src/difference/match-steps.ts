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
  const left = new Set(before);
  const matches = new Map<PlacedStep, PlacedStep>();
  const match = (keyOf: (placed: PlacedStep) => string | undefined, fits: (was: PlacedStep, is: PlacedStep) => boolean = () => true): void => {
    const waiting = new Map<string, PlacedStep[]>();
    for (const was of left) {
      const key = keyOf(was);
      if (key === undefined) continue;
      const list = waiting.get(key);
      if (list === undefined) waiting.set(key, [was]);
      else list.push(was);
    }
    for (const list of waiting.values()) list.reverse();
    for (const is of after) {
      const key = matches.has(is) ? undefined : keyOf(is);
      const list = key === undefined ? undefined : waiting.get(key);
      const was = list?.at(-1);
      if (was === undefined || !fits(was, is)) continue;
      list?.pop();
      matches.set(is, was);
      left.delete(was);
    }
  };
  match(({ step }) => (step.hasOwnId ? `${step.name} ${step.id}` : undefined));
  match(({ step, options }) => `${step.name} ${contentOf(options)}`);
  // Steps with different written ids are different steps.
  match(
    ({ step }) => step.name,
    (was, is) => !(was.step.hasOwnId && is.step.hasOwnId),
  );
  return matches;
}

const contentOf = (options: WrittenOptions): string => JSON.stringify([...options].filter(([name]) => name !== "id").toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Steps that moved to another step or branch, or whose order among their siblings changed. */
export function movedSteps(after: readonly PlacedStep[], matches: StepMatches): ReadonlySet<PlacedStep> {
  const moved = new Set<PlacedStep>();
  const stayed = new Map<PlacedStep | undefined, Map<string, PlacedStep[]>>();
  for (const is of after) {
    const was = matches.get(is);
    if (was === undefined) continue;
    const formerParent = is.parent === undefined ? undefined : matches.get(is.parent);
    const isSamePlace = was.parent === formerParent && was.branch === is.branch && (is.parent === undefined || formerParent !== undefined);
    if (!isSamePlace) {
      moved.add(is);
      continue;
    }
    const branches = stayed.get(is.parent) ?? new Map<string, PlacedStep[]>();
    stayed.set(is.parent, branches);
    const branch = branches.get(is.branch);
    if (branch === undefined) branches.set(is.branch, [is]);
    else branch.push(is);
  }
  for (const branches of stayed.values()) {
    for (const steps of branches.values()) {
      const kept = longestIncreasing(steps.map((step) => (matches.get(step) as PlacedStep).step.index));
      steps.forEach((step, index) => kept.has(index) || moved.add(step));
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
  const kept = new Set<number>();
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] as number) kept.add(at);
  return kept;
}
