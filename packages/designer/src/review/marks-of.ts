// The marks on the canvas for a difference between the deployed text and the current one.
import { pathKey, type FlowDifference, type OptionChange, type StepOutline } from "@sluice/model";
import { removedKey, type CardChange, type ChangeMarks } from "../canvas/change-marks.ts";
import { strings } from "../strings.ts";

export const optionsText = (options: readonly OptionChange[]): string =>
  options.map(({ name, before, after }) => strings.review.option(name, before, after)).join(", ");

export function marksOf({ routes, steps, elements }: FlowDifference): ChangeMarks {
  const cards = new Map<string, CardChange>();
  const removed = new Map<string, readonly StepOutline[]>();
  for (const { change, route, options } of routes) if (change !== "removed") cards.set(pathKey(route.from.path), { kind: change, text: optionsText(options) });
  for (const { change, element, options } of elements) if (change !== "removed") cards.set(pathKey(element.path), { kind: change, text: optionsText(options) });
  for (const { change, step, options, gap } of steps) {
    if (change !== "removed") cards.set(pathKey(step.path), { kind: change, text: optionsText(options) });
    // A step inside a removed step is removed with it: only the outer one is drawn.
    else if (gap !== undefined) removed.set(removedKey(gap.list, gap.index), [...(removed.get(removedKey(gap.list, gap.index)) ?? []), step]);
  }
  return {
    cards,
    removed,
    removedRoutes: routes.filter(({ change }) => change === "removed").map(({ route }) => route),
    removedElements: elements.filter(({ change }) => change === "removed").map(({ element }) => element),
  };
}
