// The shape of a flow as it is drawn: routes, their steps, and the blocks of steps inside steps. Made from the tree alone, so
// steps nobody knows are drawn as well. Ids are given as the runtime gives them, so that traces find their step.
import type { MapTree, Path, Span, Tree } from "@sluice/model";

export interface BlockOutline {
  /** The key of the branch, such as `when`; empty for the plain `steps` of a step. */
  readonly name: string;
  /** What tells the branch from others of its kind: its condition, its exceptions. */
  readonly detail: string;
  /** Empty for the plain `steps` of a step; otherwise what the branch is, such as `when ${body} == 1`. */
  readonly label: string;
  readonly disabled: boolean;
  /** The mapping that holds the steps. */
  readonly path: Path;
  readonly stepsPath: Path;
  readonly steps: readonly StepOutline[];
  readonly span: Span;
}

export interface StepOutline {
  /** The item in its list of steps; `[...path, name]` holds the options. */
  readonly path: Path;
  readonly listPath: Path;
  readonly index: number;
  readonly name: string;
  /** As written, or kind and counter. */
  readonly id: string;
  readonly hasOwnId: boolean;
  readonly description: string | undefined;
  /** The one thing worth seeing: an address, an expression, a name. */
  readonly detail: string;
  readonly disabled: boolean;
  readonly blocks: readonly BlockOutline[];
  readonly span: Span;
}

export interface RouteOutline {
  /** The item in the list of the document. */
  readonly path: Path;
  readonly id: string;
  readonly description: string | undefined;
  readonly group: string | undefined;
  readonly from: { readonly path: Path; readonly uri: string; readonly span: Span };
  readonly stepsPath: Path;
  readonly steps: readonly StepOutline[];
  readonly span: Span;
}

/** A top-level element that is no route, such as `onException` or `beans`. */
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
  const taken = new Set(items.flatMap((item) => givenRouteId(item) ?? []));
  items.forEach((item, index) => {
    const entry = item.type === "map" ? item.entries[0] : undefined;
    if (entry === undefined) return;
    const path: Path = [index, entry.key];
    if (entry.key !== "route" && entry.key !== "from") {
      entities.push({ path: [index], name: entry.key, detail: detailOf(entry.value), blocks: blocksOf(entry.value, path), span: item.span });
      return;
    }
    const isRoute = entry.key === "route";
    const from = isRoute ? memberOf(entry.value, "from") : entry.value;
    const fromPath: Path = isRoute ? [...path, "from"] : path;
    const inner = from === undefined ? undefined : memberOf(from, "steps");
    const stepsPath: Path = inner === undefined && memberOf(entry.value, "steps") !== undefined ? [...path, "steps"] : [...fromPath, "steps"];
    const id = givenRouteId(item) ?? nextFree(taken, flowId);
    const steps = stepsOf(inner ?? memberOf(entry.value, "steps"), stepsPath);
    routes.push({
      path: [index],
      id,
      description: textOf(entry.value, "description"),
      group: textOf(entry.value, "group"),
      from: { path: fromPath, uri: (from === undefined ? undefined : addressOf(from)) ?? "", span: from?.span ?? item.span },
      stepsPath,
      steps: withIds(steps),
      span: item.span,
    });
  });
  return { routes, entities };
}

/** All steps below a route or block, each before those inside it. */
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
    const id = value === undefined ? undefined : textOf(value, "id");
    return {
      path,
      listPath,
      index,
      name,
      id: id ?? "",
      hasOwnId: id !== undefined,
      description: value === undefined ? undefined : textOf(value, "description"),
      detail: value === undefined ? "" : detailOf(value),
      disabled: value !== undefined && textOf(value, "disabled") === "true",
      blocks: value === undefined ? [] : blocksOf(value, [...path, name]),
      span: item.span,
    };
  });
}

function blocksOf(value: Tree, path: Path): BlockOutline[] {
  if (value.type !== "map") return [];
  return value.entries.flatMap(({ key, value: member }) => {
    if (key === "steps") return member.type === "list" || isNothing(member) ? [blockOf("", value, path)] : [];
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

const silent: ReadonlySet<string> = new Set(["id", "description", "disabled", "steps", "note"]);
const addresses: readonly string[] = ["uri", "message", "name", "exception", "expression"];

/** The text that tells one step of its kind from another: what it sends to, says, sets or asks. */
function detailOf(value: Tree): string {
  if (value.type === "scalar") return value.text ?? "";
  if (value.type === "list") return value.items.map(detailOf).join(", ");
  const told = value.entries.filter(({ key }) => !silent.has(key));
  const address = addressOf(value);
  if (address !== undefined) return address;
  const named = addresses.flatMap((key) => told.find((entry) => entry.key === key) ?? []);
  const texts = [...named, ...told.filter((entry) => !named.includes(entry))].flatMap(({ key, value: member }) => {
    if (member.type === "scalar")
      return member.text === null
        ? []
        : [key === "name" || key === "message" ? member.text : key === "constant" || key === "simple" ? member.text : `${key} ${member.text}`];
    if (key === "expression" || key === "exception" || key === "tokenize") return [detailOf(member)];
    if (member.type === "map" && memberOf(member, "expression") !== undefined) return [textOf(member, "expression") ?? ""];
    return [];
  });
  return texts.length > 0 ? texts.slice(0, 2).join(" = ") : shapeOf(told);
}

/** Without a single text: what is listed, or the name of what is inside, such as a format. */
function shapeOf(told: MapTree["entries"]): string {
  const inner = told.find(({ value }) => blocksOf({ type: "map", entries: told, span: value.span }, []).length === 0 && value.type !== "scalar");
  if (inner === undefined) return "";
  return inner.value.type === "list" ? detailOf(inner.value) : inner.key;
}

/** A URI with its parameters, as one line. */
function addressOf(tree: Tree): string | undefined {
  if (tree.type === "scalar") return tree.text ?? undefined;
  const uri = textOf(tree, "uri");
  const parameters = memberOf(tree, "parameters");
  if (uri === undefined || parameters?.type !== "map" || uri.includes(":")) return uri;
  const first = parameters.entries.find(({ value }) => value.type === "scalar")?.value;
  return first?.type === "scalar" && first.text !== null ? `${uri}:${first.text}` : uri;
}

function withIds(steps: readonly StepOutline[]): readonly StepOutline[] {
  const all = [...everyStep(steps)];
  const taken = new Set(all.filter((step) => step.hasOwnId).map((step) => step.id));
  const counters = new Map<string, number>();
  const ids = new Map<StepOutline, string>();
  for (const step of activeSteps(steps)) {
    if (step.hasOwnId) continue;
    let count = counters.get(step.name) ?? 0;
    do count++;
    while (taken.has(`${step.name}${count}`));
    counters.set(step.name, count);
    ids.set(step, `${step.name}${count}`);
  }
  const named = (list: readonly StepOutline[]): readonly StepOutline[] =>
    list.map((step) => ({ ...step, id: ids.get(step) ?? step.id, blocks: step.blocks.map((block) => ({ ...block, steps: named(block.steps) })) }));
  return named(steps);
}

/** Disabled steps do not exist for the runtime: they take no number. */
function* activeSteps(steps: readonly StepOutline[]): Generator<StepOutline> {
  for (const step of steps) {
    if (step.disabled) continue;
    yield step;
    for (const block of step.blocks) yield* activeSteps(block.steps);
  }
}

function givenRouteId(item: Tree): string | undefined {
  const route = memberOf(item, "route");
  return route === undefined ? undefined : textOf(route, "id");
}

function nextFree(taken: Set<string>, flowId: string): string {
  let id = flowId;
  for (let count = 2; taken.has(id); count++) id = `${flowId}-${count}`;
  taken.add(id);
  return id;
}

function memberOf(tree: Tree, key: string): Tree | undefined {
  return tree.type === "map" ? tree.entries.find((entry) => entry.key === key)?.value : undefined;
}

function textOf(tree: Tree, key: string): string | undefined {
  const value = memberOf(tree, key);
  return value?.type === "scalar" && value.text !== null ? value.text : undefined;
}

const isNothing = (tree: Tree): boolean => tree.type === "scalar" && tree.text === null;
