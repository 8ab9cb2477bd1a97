// The outline of a flow as displayed: routes, steps, and blocks of inner steps. Built from the tree alone, so unknown steps are displayed too. Ids
// are assigned as in the runtime, so that traces match their step.
import type { Span } from "../flow/span.ts";
import type { MapTree, Tree } from "../flow/tree.ts";
import type { Path } from "../write/layout.ts";

/** Short option values by name, including those under `parameters`; the value of a step that is plain text has the name "". */
export type OptionTexts = Readonly<Record<string, string>>;

export interface BlockOutline {
  /** The key of the branch, such as `when`; empty for the plain `steps` of a step. */
  readonly name: string;
  /** The text that distinguishes the branch from others of its kind: its condition or exceptions. */
  readonly detail: string;
  /** Empty for the plain `steps` of a step; otherwise the title of the branch, such as `when ${body} == 1`. */
  readonly label: string;
  readonly disabled: boolean;
  /** Path of the mapping that contains the steps. */
  readonly path: Path;
  readonly stepsPath: Path;
  readonly steps: readonly StepOutline[];
  readonly span: Span;
}

export interface StepOutline {
  /** Path of the item in its list of steps; `[...path, name]` contains the options. */
  readonly path: Path;
  readonly listPath: Path;
  readonly index: number;
  readonly name: string;
  /** As written, or generated from kind and counter. */
  readonly id: string;
  readonly hasOwnId: boolean;
  readonly description: string | undefined;
  /** The most informative value: a URI, an expression, a name. */
  readonly detail: string;
  readonly options: OptionTexts;
  readonly disabled: boolean;
  /** True when its branches or parts run concurrently. */
  readonly isParallel: boolean;
  readonly blocks: readonly BlockOutline[];
  readonly span: Span;
}

export interface RouteOutline {
  /** Path of the item in the top-level list. */
  readonly path: Path;
  readonly id: string;
  readonly description: string | undefined;
  readonly group: string | undefined;
  readonly from: { readonly path: Path; readonly uri: string; readonly options: OptionTexts; readonly span: Span };
  readonly stepsPath: Path;
  readonly steps: readonly StepOutline[];
  readonly span: Span;
}

/** A top-level element other than a route, such as `onException` or `beans`. */
export interface EntityOutline {
  readonly path: Path;
  readonly name: string;
  readonly detail: string;
  readonly blocks: readonly BlockOutline[];
  readonly span: Span;
}

export interface Outline {
  readonly routes: readonly RouteOutline[];
  readonly entities: readonly EntityOutline[];
}

/** A path as text, for keys and comparisons. */
export const pathKey = (path: Path): string => path.join("/");

export function outlineOf(tree: Tree, flowId: string): Outline {
  const items = tree.type === "list" ? tree.items : [];
  const routes: RouteOutline[] = [];
  const entities: EntityOutline[] = [];
  const usedIds = new Set(items.flatMap((item) => explicitRouteId(item) ?? []));
  const entityCounts = new Map<string, number>();
  items.forEach((item, index) => {
    const entry = item.type === "map" ? item.entries[0] : undefined;
    if (entry === undefined) return;
    const path: Path = [index, entry.key];
    if (entry.key !== "route" && entry.key !== "from") {
      const count = (entityCounts.get(entry.key) ?? 0) + 1;
      entityCounts.set(entry.key, count);
      const blocks = blocksWithIds(blocksOf(entry.value, path), `${entry.key}${count}-`);
      entities.push({ path: [index], name: entry.key, detail: detailOf(entry.value), blocks, span: item.span });
      return;
    }
    const isRoute = entry.key === "route";
    const from = isRoute ? memberOf(entry.value, "from") : entry.value;
    const fromPath: Path = isRoute ? [...path, "from"] : path;
    const inner = from === undefined ? undefined : memberOf(from, "steps");
    const stepsPath: Path = inner === undefined && memberOf(entry.value, "steps") !== undefined ? [...path, "steps"] : [...fromPath, "steps"];
    const id = explicitRouteId(item) ?? nextFreeId(usedIds, flowId);
    const steps = stepsOf(inner ?? memberOf(entry.value, "steps"), stepsPath);
    routes.push({
      path: [index],
      id,
      description: textOf(entry.value, "description"),
      group: textOf(entry.value, "group"),
      from: { path: fromPath, uri: (from === undefined ? undefined : addressOf(from)) ?? "", options: optionTexts(from), span: from?.span ?? item.span },
      stepsPath,
      steps: stepsWithIds(steps, (isRoute ? textOf(entry.value, "nodePrefixId") : undefined) ?? ""),
      span: item.span,
    });
  });
  return { routes, entities };
}

/** All steps below a route or block, each before its inner steps. */
export function* everyStep(steps: readonly StepOutline[]): Generator<StepOutline> {
  for (const step of steps) {
    yield step;
    for (const block of step.blocks) yield* everyStep(block.steps);
  }
}

function stepsOf(tree: Tree | undefined, listPath: Path): StepOutline[] {
  if (tree?.type !== "list") return [];
  return tree.items.map((item, index) => {
    const path: Path = [...listPath, index];
    const entry = item.type === "map" ? item.entries[0] : undefined;
    const name = entry?.key ?? (item.type === "scalar" ? (item.text ?? "") : "");
    const value = entry?.value;
    const id = (value === undefined ? undefined : textOf(value, "id")) || undefined;
    return {
      path,
      listPath,
      index,
      name,
      id: id ?? "",
      hasOwnId: id !== undefined,
      description: value === undefined ? undefined : textOf(value, "description"),
      detail: value === undefined ? "" : detailOf(value),
      options: optionTexts(value),
      disabled: value !== undefined && textOf(value, "disabled") === "true",
      isParallel: value !== undefined && textOf(value, parallelOption) === "true",
      blocks: value === undefined ? [] : blocksOf(value, [...path, name]),
      span: item.span,
    };
  });
}

function blocksOf(value: Tree, path: Path): BlockOutline[] {
  if (value.type !== "map") return [];
  return value.entries.flatMap(({ key, value: member }) => {
    if (key === "steps") return member.type === "list" || isNull(member) ? [blockOf("", value, path)] : [];
    if (member.type === "map" && memberOf(member, "steps") !== undefined) return [blockOf(key, member, [...path, key])];
    if (member.type !== "list") return [];
    return member.items.flatMap((item, index) =>
      item.type === "map" && memberOf(item, "steps") !== undefined ? [blockOf(key, item, [...path, key, index])] : [],
    );
  });
}

function blockOf(name: string, tree: MapTree, path: Path): BlockOutline {
  const stepsPath: Path = [...path, "steps"];
  const detail = name === "" ? "" : detailOf(tree);
  const label = detail === "" ? name : `${name} ${detail}`;
  return {
    name,
    detail,
    label,
    disabled: name !== "" && textOf(tree, "disabled") === "true",
    path,
    stepsPath,
    steps: stepsOf(memberOf(tree, "steps"), stepsPath),
    span: tree.span,
  };
}

function optionTexts(value: Tree | undefined): OptionTexts {
  const texts: Record<string, string> = {};
  if (value?.type === "scalar" && value.text !== null) texts[""] = value.text;
  if (value?.type !== "map") return texts;
  for (const { key, value: member } of value.entries) {
    if (key === "parameters" && member.type === "map") Object.assign(texts, optionTexts(member));
    const text = member.type === "list" ? undefined : shortText(member);
    if (text !== undefined) texts[key] = text;
  }
  return texts;
}

/** A value, or the text of an expression such as `{simple: "${body}"}` or `{expression: $.items}`; empty for a mapping without entries. */
function shortText(tree: Tree): string | undefined {
  if (tree.type === "scalar") return tree.text ?? undefined;
  if (tree.type !== "map" || memberOf(tree, "steps") !== undefined) return undefined;
  const written = textOf(tree, "expression") ?? textOf(tree, "token");
  if (written !== undefined) return written;
  const first = tree.entries[0]?.value;
  return first === undefined ? "" : first.type === "list" ? undefined : shortText(first);
}

const parallelOption = "parallelProcessing";
const hiddenKeys: ReadonlySet<string> = new Set(["id", "description", "disabled", "steps", "note", parallelOption]);
const preferredKeys: readonly string[] = ["uri", "message", "name", "exception", "expression"];

/** The text that distinguishes a step from others of its kind: its target, message, value or condition. */
function detailOf(value: Tree): string {
  if (value.type === "scalar") return value.text ?? "";
  if (value.type === "list") return value.items.map(detailOf).join(", ");
  const visible = value.entries.filter(({ key }) => !hiddenKeys.has(key));
  const address = addressOf(value);
  if (address !== undefined) return address;
  const preferred = preferredKeys.flatMap((key) => visible.find((entry) => entry.key === key) ?? []);
  const texts = [...preferred, ...visible.filter((entry) => !preferred.includes(entry))].flatMap(({ key, value: member }) => {
    if (member.type === "scalar")
      return member.text === null
        ? []
        : [key === "name" || key === "message" ? member.text : key === "constant" || key === "simple" ? member.text : `${key} ${member.text}`];
    if (key === "expression" || key === "exception" || key === "tokenize") return [detailOf(member)];
    if (member.type === "map" && memberOf(member, "expression") !== undefined) return [textOf(member, "expression") ?? ""];
    return [];
  });
  return texts.length > 0 ? texts.slice(0, 2).join(" = ") : shapeOf(visible);
}

/** The detail of an element without a scalar value: the listed items, or the name of the inner element, such as a format. */
function shapeOf(visible: MapTree["entries"]): string {
  const inner = visible.find(({ value }) => blocksOf({ type: "map", entries: visible, span: value.span }, []).length === 0 && value.type !== "scalar");
  if (inner === undefined) return "";
  return inner.value.type === "list" ? detailOf(inner.value) : inner.key;
}

/** The URI; a bare scheme is followed by its first parameter, as in `timer:tick`. */
function addressOf(tree: Tree): string | undefined {
  if (tree.type === "scalar") return tree.text ?? undefined;
  const uri = textOf(tree, "uri");
  const parameters = memberOf(tree, "parameters");
  if (uri === undefined || parameters?.type !== "map" || uri.includes(":")) return uri;
  const first = parameters.entries.find(({ value }) => value.type === "scalar")?.value;
  return first?.type === "scalar" && first.text !== null ? `${uri}:${first.text}` : uri;
}

const stepsWithIds = (steps: readonly StepOutline[], prefix: string): readonly StepOutline[] => assignIds(steps, generateIds([...activeSteps(steps)], prefix));

function blocksWithIds(blocks: readonly BlockOutline[], prefix: string): readonly BlockOutline[] {
  const ids = generateIds([...activeStepsOf(blocks)], prefix);
  return blocks.map((block) => ({ ...block, steps: assignIds(block.steps, ids) }));
}

/** Ids for the steps without one, numbered per kind of step. */
function generateIds(active: readonly StepOutline[], prefix: string): ReadonlyMap<StepOutline, string> {
  const usedIds = new Set(active.filter((step) => step.hasOwnId).map((step) => step.id));
  const counters = new Map<string, number>();
  const ids = new Map<StepOutline, string>();
  for (const step of active) {
    if (step.hasOwnId) continue;
    let count = counters.get(step.name) ?? 0;
    do count++;
    while (usedIds.has(`${prefix}${step.name}${count}`));
    counters.set(step.name, count);
    ids.set(step, `${prefix}${step.name}${count}`);
  }
  return ids;
}

const assignIds = (steps: readonly StepOutline[], ids: ReadonlyMap<StepOutline, string>): readonly StepOutline[] =>
  steps.map((step) => ({
    ...step,
    id: ids.get(step) ?? step.id,
    blocks: step.blocks.map((block) => ({ ...block, steps: assignIds(block.steps, ids) })),
  }));

/** The steps that exist in the runtime: all except disabled steps and those inside disabled steps or branches. */
export function* activeSteps(steps: readonly StepOutline[]): Generator<StepOutline> {
  for (const step of steps) {
    if (step.disabled) continue;
    yield step;
    yield* activeStepsOf(step.blocks);
  }
}

function* activeStepsOf(blocks: readonly BlockOutline[]): Generator<StepOutline> {
  for (const block of blocks) if (!block.disabled) yield* activeSteps(block.steps);
}

function explicitRouteId(item: Tree): string | undefined {
  const route = memberOf(item, "route");
  return route === undefined ? undefined : textOf(route, "id");
}

function nextFreeId(usedIds: Set<string>, flowId: string): string {
  let id = flowId;
  for (let count = 2; usedIds.has(id); count++) id = `${flowId}-${count}`;
  usedIds.add(id);
  return id;
}

function memberOf(tree: Tree, key: string): Tree | undefined {
  return tree.type === "map" ? tree.entries.find((entry) => entry.key === key)?.value : undefined;
}

function textOf(tree: Tree, key: string): string | undefined {
  const value = memberOf(tree, key);
  return value?.type === "scalar" && value.text !== null ? value.text : undefined;
}

const isNull = (tree: Tree): boolean => tree.type === "scalar" && tree.text === null;
