// Which cards are selected and which one of each tree the Tab key reaches. Worked out once per state of the flow; each card asks
// for itself, so that walking through a flow draws two cards and not all of them.
import { pathKey } from "../document/outline.ts";
import { selectedSteps, type OpenFlow } from "../document/open-flow.ts";
import { useEditorState } from "../screens/editor/editor-context.ts";

interface Marks {
  readonly selected: ReadonlySet<string>;
  readonly tabStops: ReadonlySet<string>;
}

const marks = new WeakMap<OpenFlow, Marks>();

function marksOf(flow: OpenFlow): Marks {
  let known = marks.get(flow);
  if (known === undefined) {
    known = { selected: selectedKeys(flow), tabStops: tabStops(flow) };
    marks.set(flow, known);
  }
  return known;
}

export interface Mark {
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
}

/** Always the same four objects: a card whose mark is the one of before is not drawn again. */
const allMarks: readonly Mark[] = [0, 1, 2, 3].map((bits) => ({ isSelected: (bits & 1) !== 0, isTabStop: (bits & 2) !== 0 }));

export function useMark(key: string): Mark {
  return useEditorState(({ flow }) => {
    const { selected, tabStops } = marksOf(flow);
    return allMarks[(selected.has(key) ? 1 : 0) + (tabStops.has(key) ? 2 : 0)] as Mark;
  });
}

function selectedKeys(flow: OpenFlow): ReadonlySet<string> {
  const steps = selectedSteps(flow);
  if (steps.length > 0) return new Set(steps.map((step) => pathKey(step.path)));
  return new Set(flow.selection === undefined ? [] : [pathKey(flow.selection)]);
}

/** The selected card in the tree it is in, the first one in the others. The elements of the file are in the last route's tree. */
function tabStops(flow: OpenFlow): ReadonlySet<string> {
  const { routes, entities } = flow.good?.outline ?? { routes: [], entities: [] };
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
