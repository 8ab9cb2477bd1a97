// Which cards are selected, and which card of each tree is in the tab order. Computed once per state of the flow; each card subscribes separately,
// so that moving the selection re-renders two cards instead of all.
import { pathKey } from "@sluice/model";
import { selectedSteps, type OpenFlow } from "../document/open-flow.ts";
import { useEditorState } from "../editor/editor-context.ts";

interface Marks {
  readonly selected: ReadonlySet<string>;
  readonly tabStops: ReadonlySet<string>;
}

const marks = new WeakMap<OpenFlow, Marks>();

function marksOf(flow: OpenFlow): Marks {
  let cached = marks.get(flow);
  if (cached === undefined) {
    cached = { selected: selectedKeys(flow), tabStops: tabStops(flow) };
    marks.set(flow, cached);
  }
  return cached;
}

export interface SelectionMark {
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
}

/** Always the same four objects, so that a card with an unchanged state is not re-rendered. */
const allMarks: readonly SelectionMark[] = [0, 1, 2, 3].map((bits) => ({ isSelected: (bits & 1) !== 0, isTabStop: (bits & 2) !== 0 }));

export function useSelectionMark(key: string): SelectionMark {
  return useEditorState(({ flow }) => {
    const { selected, tabStops } = marksOf(flow);
    return allMarks[(selected.has(key) ? 1 : 0) + (tabStops.has(key) ? 2 : 0)] as SelectionMark;
  });
}

function selectedKeys(flow: OpenFlow): ReadonlySet<string> {
  const steps = selectedSteps(flow);
  if (steps.length > 0) return new Set(steps.map((step) => pathKey(step.path)));
  return new Set(flow.selection === undefined ? [] : [pathKey(flow.selection)]);
}

/** The selected card in its tree, and the first card in all other trees. Top-level elements are in the tree of the last route. */
function tabStops(flow: OpenFlow): ReadonlySet<string> {
  const { routes, entities } = flow.lastValid?.outline ?? { routes: [], entities: [] };
  const lead = flow.selection === undefined ? undefined : pathKey(flow.selection);
  const isBelow = (path: readonly (string | number)[]): boolean => lead !== undefined && (lead === pathKey(path) || lead.startsWith(`${pathKey(path)}/`));
  const inEntities = entities.some(({ path }) => isBelow(path));
  const stops = routes.map((route, index) =>
    isBelow(route.path) || (inEntities && index === routes.length - 1) ? (lead as string) : pathKey(route.from.path),
  );
  const [first] = entities;
  if (routes.length === 0 && first !== undefined) stops.push(inEntities ? (lead as string) : pathKey(first.path));
  return new Set(stops);
}
