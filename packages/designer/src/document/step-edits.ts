// Text edits that insert, move, wrap and remove whole steps, also several at once. Each is one edit and therefore one undo step.
import { combinedEdit, insertItem, itemText, moveItem, rereadTree, removeItem, removeOption, setYamlAt, type Edit, type Path } from "@sluice/model";

/** A position between steps. */
export interface StepPosition {
  readonly listPath: Path;
  readonly index: number;
}

/** Adjacent steps of one list. */
export interface StepRange {
  readonly listPath: Path;
  readonly first: number;
  readonly count: number;
}

type Change = (source: string) => Edit;

/** Combines consecutive changes into one edit. If one of them is rejected, the whole edit is rejected. */
export function inSequence(source: string, changes: readonly Change[]): Edit {
  let text = source;
  let last: Edit | undefined;
  for (const change of changes) {
    last = change(text);
    if (!last.ok) return last;
    text = last.source;
  }
  return changes.length === 1 && last !== undefined ? last : combinedEdit(source, text);
}

/** Inserts steps, given as YAML, at a position. A missing list is created. */
export function insertSteps(source: string, { listPath, index }: StepPosition, yamls: readonly string[]): Edit {
  return inSequence(
    source,
    yamls.map(
      (yaml, at) => (text: string) =>
        at === 0 && !hasList(text, listPath) ? setYamlAt(text, listPath, listItem(yaml)) : insertItem(text, listPath, index + at, yaml),
    ),
  );
}

export function removeSteps(source: string, { listPath, first, count }: StepRange): Edit {
  return inSequence(
    source,
    Array.from({ length: count }, () => (text: string) => removeItem(text, listPath, first)),
  );
}

/** The YAML of each step of a range. */
export function rangeYaml(source: string, { listPath, first, count }: StepRange): readonly string[] {
  return Array.from({ length: count }, (_, at) => itemText(source, listPath, first + at)).filter((text) => text !== undefined);
}

/** Moves steps to a position, which is given in terms of the text before the move. Returns the new position. */
export function moveSteps(source: string, range: StepRange, to: StepPosition): { readonly edit: Edit; readonly position: StepPosition } {
  const { first, count } = range;
  if (samePath(range.listPath, to.listPath)) {
    const forward = to.index > first;
    const changes = Array.from(
      { length: count },
      (_, at) => (text: string) =>
        forward
          ? moveItem(text, range.listPath, first, range.listPath, to.index - 1)
          : moveItem(text, range.listPath, first + at, range.listPath, to.index + at),
    );
    return { edit: inSequence(source, changes), position: { listPath: to.listPath, index: forward ? to.index - count : to.index } };
  }
  let from = range.listPath;
  let target = to;
  const changes: Change[] = [];
  for (let at = 0; at < count; at++) {
    const current = { from, target };
    changes.push((text) => moveIntoList(text, current.from, first, current.target, at));
    target = { ...target, listPath: afterRemoval(target.listPath, from, first) };
    from = afterInsertion(from, target.listPath, target.index + at);
  }
  return { edit: inSequence(source, changes), position: target };
}

function moveIntoList(text: string, from: Path, index: number, { listPath, index: start }: StepPosition, at: number): Edit {
  if (hasList(text, listPath)) return moveItem(text, from, index, listPath, start + at);
  const yaml = itemText(text, from, index);
  if (yaml === undefined) return { ok: false, reason: "no step to move" };
  return inSequence(text, [(current) => setYamlAt(current, listPath, listItem(yaml)), (current) => removeItem(current, from, index)]);
}

/** Adjusts a path after the item `index` of the list at `list` was removed before it. */
function afterRemoval(path: Path, list: Path, index: number): Path {
  const itemIndex = isBelow(path, list) ? path[list.length] : undefined;
  return typeof itemIndex === "number" && itemIndex > index ? path.toSpliced(list.length, 1, itemIndex - 1) : path;
}

function afterInsertion(path: Path, list: Path, index: number): Path {
  const itemIndex = isBelow(path, list) ? path[list.length] : undefined;
  return typeof itemIndex === "number" && itemIndex >= index ? path.toSpliced(list.length, 1, itemIndex + 1) : path;
}

/** Wraps steps in other YAML: `yaml` is a step with an empty `steps: []` that receives them. */
export function wrapSteps(source: string, range: StepRange, yaml: string): Edit {
  const wrapper = fillSteps(yaml, rangeYaml(source, range));
  return inSequence(source, [
    (text) => insertItem(text, range.listPath, range.first, wrapper),
    (text) => removeSteps(text, { ...range, first: range.first + 1 }),
  ]);
}

/** The step with `steps: []` replaced by steps. */
export function fillSteps(yaml: string, steps: readonly string[]): string {
  const position = /^([ \t]*(?:- +)?)steps: \[\]$/m.exec(yaml);
  if (position === null) return yaml;
  const indent = " ".repeat((position[1] as string).length + 2);
  const items = steps.map((step) => `${indent}${listItem(step).replaceAll(/\n(?!\n)/g, `\n${indent}`)}`).join("\n");
  return `${yaml.slice(0, position.index)}${position[1]}steps:\n${items}${yaml.slice(position.index + position[0].length)}`;
}

/** Replaces a step with the steps of its blocks. */
export function unwrapStep(source: string, { listPath, index }: StepPosition, blocks: readonly Path[]): Edit {
  const yamls = blocks.flatMap((path) => rangeYaml(source, { listPath: path, first: 0, count: lengthOf(source, path) }));
  return inSequence(source, [(text) => insertSteps(text, { listPath, index: index + 1 }, yamls), (text) => removeItem(text, listPath, index)]);
}

/** Removes a branch: an item of a list such as `when`, including the list when it becomes empty, or a key such as `otherwise`. */
export function removeBranch(source: string, path: Path): Edit {
  const last = path.at(-1);
  const list = typeof last === "number" ? path.slice(0, -1) : path;
  if (typeof last === "number" && lengthOf(source, list) > 1) return removeItem(source, list, last);
  return removeOption(source, list.slice(0, -1), String(list.at(-1)));
}

const samePath = (left: Path, right: Path): boolean => left.length === right.length && isBelow(left, right);
const isBelow = (path: Path, above: Path): boolean => above.every((part, at) => path[at] === part);

/** A step as a list item. */
export const listItem = (yaml: string): string => `- ${yaml.replaceAll(/\n(?!\n|$)/g, "\n  ")}`;

function hasList(source: string, path: Path): boolean {
  const tree = nodeAt(source, path);
  return tree?.type === "list" || (tree?.type === "scalar" && tree.text === null);
}

function lengthOf(source: string, path: Path): number {
  const tree = nodeAt(source, path);
  return tree?.type === "list" ? tree.items.length : 0;
}

function nodeAt(source: string, path: Path): ReturnType<typeof rereadTree>["tree"] {
  let tree = rereadTree(source).tree;
  for (const part of path)
    tree = tree?.type === "map" ? tree.entries.find(({ key }) => key === part)?.value : tree?.type === "list" ? tree.items[part as number] : undefined;
  return tree;
}
