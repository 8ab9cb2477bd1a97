// The route templates of a document. A template's {{parameters}} get their values when it is used, and it is bound only then.
import {
  bindOptions,
  bindRoute,
  f,
  type Diagnostic,
  type EntityNode,
  type MapTree,
  type RouteNode,
  type StepNode,
  type Tree,
  type Values,
  type Vocabulary,
} from "@sluice/model";
import type { templatedRouteFields } from "../entities/template-entities.ts";
import type { FlowInput } from "../run/runtime.ts";
import { CompileError } from "../spi/compiler.ts";

const parameterFields = {
  parameters: f.list(
    f.object(
      {
        name: f.string({ doc: "Name.", required: true }),
        defaultValue: f.text({ doc: "Value when none is given." }),
        required: f.boolean({ doc: "False: it may be left out." }),
        description: f.string({ doc: "For readers." }),
      },
      { doc: "One parameter.", required: true },
    ),
    { doc: "The template's parameters.", default: [] },
  ),
} as const;

interface Template {
  readonly tree: MapTree;
  readonly parameters: Values<typeof parameterFields>["parameters"];
}

const notParameters = ["id", "from", "route", "description", "note", "templateBean", "beans"];

export class TemplateLibrary {
  readonly #templates = new Map<string, Template>();
  readonly #vocabulary: Vocabulary;
  readonly #input: FlowInput;
  readonly #report: (found: readonly Diagnostic[]) => void;

  constructor(entities: readonly EntityNode[], vocabulary: Vocabulary, input: FlowInput, report: (found: readonly Diagnostic[]) => void) {
    this.#vocabulary = vocabulary;
    this.#input = input;
    this.#report = report;
    for (const entity of entities) if (entity.name === "routeTemplate") this.#read(entity);
  }

  /** The route a templatedRoute makes; undefined, with the fault reported, when it cannot. */
  route(entity: EntityNode, taken: ReadonlySet<string>): RouteNode | undefined {
    const options = entity.options as Values<typeof templatedRouteFields>;
    const template = this.#templates.get(options.routeTemplateRef);
    if (template === undefined) {
      this.#report([fault("template-unknown", `no route template '${options.routeTemplateRef}'`, entity)]);
      return undefined;
    }
    const values = new Map(options.parameters.map(({ name, value }) => [name, value]));
    const missing = fillDefaults(template, values);
    if (missing !== undefined) {
      const hint = `add {name: ${missing}, value: …} to its parameters`;
      this.#report([fault("template-parameter", `templatedRoute of '${options.routeTemplateRef}' gives no value for parameter '${missing}'`, entity, hint)]);
      return undefined;
    }
    const tree = routeTree(template);
    const id = options.routeId ?? textOf(entryOf(tree, "id")) ?? freeId(this.#input.id, taken);
    if (taken.has(id)) this.#report([fault("route-id-twice", `two routes are called '${id}'`, entity)]);
    const bound = this.#bind(tree, id, values);
    this.#report(bound.diagnostics);
    // What is not whole must not be compiled: steps rely on the options they need.
    return bound.diagnostics.some(({ severity }) => severity === "error") ? undefined : bound.route;
  }

  /** The steps of a template, to stand where it is used; throws a CompileError when it cannot be used so. */
  steps(name: string, parameters: Readonly<Record<string, string>>, prefix: string): readonly StepNode[] {
    const template = this.#templates.get(name);
    if (template === undefined)
      throw new CompileError("template-unknown", `no route template '${name}'`, { hint: "define it under routeTemplate in this flow" });
    const values = new Map(Object.entries(parameters));
    const missing = fillDefaults(template, values);
    if (missing !== undefined) throw new CompileError("template-parameter", `template '${name}' needs a value for parameter '${missing}'`);
    const tree = routeTree(template);
    const span = tree.span;
    const prefixed: Tree =
      tree.type === "map"
        ? { ...tree, entries: [...tree.entries, { key: "nodePrefixId", keySpan: span, value: { type: "scalar", text: prefix, quoted: true, span } }] }
        : tree;
    const bound = this.#bind(prefixed, name, values);
    const [first] = bound.diagnostics.filter(({ severity }) => severity === "error");
    if (first !== undefined) throw new CompileError(first.code, `template '${name}', line ${first.span.line}: ${first.message}`);
    return bound.route?.steps ?? [];
  }

  #bind(tree: Tree, routeId: string, values: ReadonlyMap<string, string>) {
    const { id, source, property } = this.#input;
    return bindRoute(tree, this.#vocabulary, { flowId: id, source, routeId, property: (name) => values.get(name) ?? property(name) });
  }

  #read(entity: EntityNode): void {
    const tree = entity.options["tree"] as Tree;
    const id = textOf(entryOf(tree, "id"));
    if (tree.type !== "map" || id === undefined || (entryOf(tree, "from") === undefined && entryOf(tree, "route") === undefined)) {
      this.#report([fault("template-shape", "a routeTemplate needs 'id' and 'from' or 'route'", entity, "add from: {uri: …, steps: […]}")]);
      return;
    }
    if (this.#templates.has(id)) this.#report([fault("template-twice", `two route templates are called '${id}'`, entity)]);
    const { id: flowId, source } = this.#input;
    const bound = bindOptions(tree, parameterFields, this.#vocabulary, {
      flowId,
      source,
      property: () => undefined,
      label: `routeTemplate '${id}'`,
      ignore: notParameters,
    });
    this.#report(bound.diagnostics);
    this.#templates.set(id, { tree, parameters: bound.values["parameters"] as Template["parameters"] });
  }
}

const entryOf = (tree: Tree, key: string): Tree | undefined => (tree.type === "map" ? tree.entries.find((entry) => entry.key === key)?.value : undefined);
const textOf = (tree: Tree | undefined): string | undefined => (tree?.type === "scalar" ? (tree.text ?? undefined) : undefined);

function routeTree({ tree }: Template): Tree {
  return entryOf(tree, "route") ?? { ...tree, entries: tree.entries.filter(({ key }) => key === "from") };
}

/** Adds defaults; the name of a parameter that is still missing. */
function fillDefaults({ parameters }: Template, values: Map<string, string>): string | undefined {
  for (const { name, defaultValue } of parameters) if (!values.has(name) && defaultValue !== undefined) values.set(name, defaultValue);
  return parameters.find(({ name, required }) => required !== false && !values.has(name))?.name;
}

function freeId(flowId: string, taken: ReadonlySet<string>): string {
  if (!taken.has(flowId)) return flowId;
  for (let number = 2; ; number++) if (!taken.has(`${flowId}-${number}`)) return `${flowId}-${number}`;
}

function fault(code: string, message: string, { span }: EntityNode, hint?: string): Diagnostic {
  return { code, severity: "error", message, path: "", span, ...(hint === undefined ? {} : { hint }) };
}
