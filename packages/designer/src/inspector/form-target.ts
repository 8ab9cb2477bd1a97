// The selected element for a form: its name, its options, and where they are written.
import { everyStep, type OptionView, type Outline, type Path, pathKey, type RouteOutline } from "@sluice/model";
import type { FlowCatalog } from "../catalog/flow-catalog.ts";
import { branchesOf } from "../catalog/flow-catalog.ts";
import { blockAt, stepAt, type OpenFlow } from "../document/open-flow.ts";
import { branchTitle, entityLabel, stepLabel, triggerLabel } from "../canvas/card-label.ts";
import { strings } from "../strings.ts";
import type { FormScope } from "./form-scope.ts";

export interface FormSection {
  readonly title: string | undefined;
  readonly path: Path;
  readonly options: readonly OptionView[];
  readonly shorthand: string | undefined;
  readonly role: FormScope["role"];
}

export interface FormTarget {
  readonly key: string;
  readonly title: string;
  readonly where: string;
  readonly sections: readonly FormSection[];
  /** The list item whose YAML is shown, if there is one. */
  readonly item: { readonly listPath: Path; readonly index: number } | undefined;
  /** The name of its declaration in the catalog; for a branch, that of the step or element that contains it. */
  readonly declarationName: string;
  readonly kind: "step" | "branch" | "trigger" | "element";
}

const text = strings.inspector;
const aboutNames: ReadonlySet<string> = new Set(["id", "description", "note", "disabled"]);

export function formTarget(flow: OpenFlow, catalog: FlowCatalog | undefined): FormTarget | undefined {
  const { outline } = flow.lastValid ?? {};
  if (flow.selection === undefined || outline === undefined) return undefined;
  const key = pathKey(flow.selection);
  return stepTarget(flow, catalog, outline) ?? branchTarget(flow, catalog) ?? triggerTarget(outline, catalog, key) ?? entityTarget(outline, catalog, key);
}

function stepTarget(flow: OpenFlow, catalog: FlowCatalog | undefined, outline: Outline): FormTarget | undefined {
  const step = stepAt(flow, flow.selection ?? []);
  if (step === undefined) return undefined;
  const view = catalog?.step(step.name);
  const route = outline.routes.find(({ steps }) => [...everyStep(steps)].includes(step));
  const path = [...step.path, step.name];
  const role = step.name === "poll" ? "poller" : "sink";
  const main = view === undefined ? [] : [{ title: undefined, path, options: withoutAbout(view.options), shorthand: view.shorthand, role } as const];
  const about = catalog === undefined ? [] : [{ title: text.about, path, options: aboutOf(catalog.view.common), shorthand: view?.shorthand, role } as const];
  return {
    key: pathKey(step.path),
    title: stepLabel(step, catalog).title,
    where: route === undefined ? text.whereElementStep(String(step.path[1]), step.id, step.span.line) : text.where(route.id, step.id, step.span.line),
    sections: [...main, ...about],
    item: { listPath: step.listPath, index: step.index },
    declarationName: step.name,
    kind: "step",
  };
}

function branchTarget(flow: OpenFlow, catalog: FlowCatalog | undefined): FormTarget | undefined {
  const block = blockAt(flow, flow.selection ?? []);
  if (block === undefined) return undefined;
  const { path } = block;
  const last = path.at(-1);
  const owner = String(path[path.length - (typeof last === "number" ? 3 : 2)]);
  const branch = branchesOf((catalog?.step(owner) ?? catalog?.entity(owner))?.options ?? []).find(({ option }) => option.name === block.name);
  const fields = branch?.fields ?? [];
  return {
    key: pathKey(path),
    title: branchTitle(block),
    where: text.whereBranch(block.name, block.span.line),
    sections: [
      { title: undefined, path, options: withoutAbout(fields), shorthand: undefined, role: "sink" },
      { title: text.about, path, options: aboutOf(fields), shorthand: undefined, role: "sink" },
    ],
    item: typeof last === "number" ? { listPath: path.slice(0, -1), index: last } : undefined,
    declarationName: owner,
    kind: "branch",
  };
}

function triggerTarget(outline: Outline, catalog: FlowCatalog | undefined, key: string): FormTarget | undefined {
  const route = outline.routes.find(({ from }) => pathKey(from.path) === key);
  if (route === undefined) return undefined;
  return {
    key,
    title: triggerLabel(route, catalog).title,
    where: text.whereTrigger(route.id, route.from.span.line),
    sections: catalog === undefined ? [] : routeSections(route, catalog),
    item: { listPath: [], index: Number(route.path[0]) },
    declarationName: catalog?.connector(route.from.uri)?.scheme ?? "",
    kind: "trigger",
  };
}

function routeSections(route: RouteOutline, catalog: FlowCatalog): readonly FormSection[] {
  const { path } = route.from;
  const trigger: FormSection = {
    title: text.trigger,
    path,
    options: catalog.view.from.filter(({ name }) => name !== "id" && name !== "description" && name !== "note"),
    shorthand: "uri",
    role: "source",
  };
  if (path.at(-2) !== "route") return [trigger];
  return [trigger, { title: text.route, path: path.slice(0, -1), options: sortOptions(catalog.view.route), shorthand: undefined, role: "source" }];
}

function entityTarget(outline: Outline, catalog: FlowCatalog | undefined, key: string): FormTarget | undefined {
  const entity = outline.entities.find((candidate) => pathKey(candidate.path) === key);
  if (entity === undefined) return undefined;
  const view = catalog?.entity(entity.name);
  const path = [...entity.path, entity.name];
  const sections =
    view === undefined || view.many === true || view.raw === true
      ? []
      : [{ title: undefined, path, options: view.options, shorthand: view.shorthand, role: "sink" as const }];
  return {
    key,
    title: entityLabel(entity, catalog).title,
    where: text.whereElement(entity.name, entity.span.line),
    sections,
    item: { listPath: [], index: Number(entity.path[0]) },
    declarationName: entity.name,
    kind: "element",
  };
}

const withoutAbout = (options: readonly OptionView[]): readonly OptionView[] => options.filter(({ name }) => !aboutNames.has(name));

/** Description first, because it is the displayed name. */
const aboutOf = (options: readonly OptionView[]): readonly OptionView[] => sortOptions(options.filter(({ name }) => aboutNames.has(name)));

const order = ["description", "id", "group", "note", "disabled"];
const sortOptions = (options: readonly OptionView[]): readonly OptionView[] =>
  options
    .map((option) => ({ option, at: order.indexOf(option.name) }))
    .sort((left, right) => (left.at === -1 ? order.length : left.at) - (right.at === -1 ? order.length : right.at))
    .map(({ option }) => option);
