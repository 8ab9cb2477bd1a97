// A parsed route template: from a routeTemplate of the flow, or from a Kamelet file.
import {
  bindOptions,
  bindRoute,
  closest,
  f,
  type Diagnostic,
  type KameletParameter,
  type MapTree,
  type Span,
  type Tree,
  type Values,
  type Vocabulary,
} from "@sluice/model";
import { templateBeans } from "../entities/template-entities.ts";
import type { FlowInput } from "./flow-input.ts";
import type { KameletSource } from "./relocate.ts";

const parameterFields = {
  parameters: f.list(
    f.object(
      {
        name: f.string({ doc: "Name of the parameter.", required: true }),
        defaultValue: f.text({ doc: "Default value." }),
        required: f.boolean({ doc: "Whether the parameter needs a value." }),
        description: f.string({ doc: "Human-readable description." }),
      },
      { doc: "One parameter.", required: true },
    ),
    { doc: "The template's parameters.", default: [] },
  ),
} as const;

export interface Template {
  readonly name: string;
  readonly tree: MapTree;
  /** The text the tree was read from. */
  readonly source: string;
  readonly parameters: Values<typeof parameterFields>["parameters"];
  /** Set for a Kamelet: its file and its parameters. */
  readonly kamelet?: KameletSource & { readonly parameters: readonly KameletParameter[] };
}

type TemplateBean = Values<{ readonly beans: typeof templateBeans }>["beans"][number];

type Lookup = (name: string) => string | undefined;

const otherKeys = ["id", "from", "route", "description", "note", "templateBean", "beans"];

/** The parameters of a template, and errors in them. */
export function readParameters(tree: MapTree, name: string, vocabulary: Vocabulary, { id: flowId }: FlowInput, source: string) {
  const bound = bindOptions(tree, parameterFields, vocabulary, {
    flowId,
    source,
    property: () => undefined,
    label: `routeTemplate '${name}'`,
    ignore: otherKeys,
  });
  return { parameters: bound.values["parameters"] as Template["parameters"], diagnostics: bound.diagnostics };
}

/** The route of a template with values for its parameters. */
export function bindTemplate(template: Template, routeId: string, prefix: string | undefined, vocabulary: Vocabulary, flowId: string, value: Lookup) {
  const tree = prefix === undefined ? routeTree(template) : withPrefix(routeTree(template), prefix);
  return bindRoute(tree, vocabulary, { flowId, source: template.source, routeId, property: value });
}

/** A bean of a template (undefined if it is invalid), the position of its type, and its errors. */
export interface BoundBean {
  readonly bean: TemplateBean | undefined;
  readonly span: Span;
  readonly diagnostics: readonly Diagnostic[];
}

/** The beans of a template with values for its parameters. Each is bound when it is iterated, so that it can reference those before it. */
export function* bindBeans({ tree, source }: Template, vocabulary: Vocabulary, flowId: string, value: Lookup): Generator<BoundBean> {
  const beanEntries = tree.entries.filter(({ key }) => key === "beans");
  for (const entry of beanEntries) {
    const list = entry.value;
    const singles = list.type === "list" ? list.items.map((item) => ({ ...list, items: [item] })) : [list];
    for (const single of singles) {
      const bound = bindOptions({ ...tree, entries: [{ ...entry, value: single }] }, { beans: templateBeans }, vocabulary, {
        flowId,
        source,
        property: value,
        label: "routeTemplate",
      });
      const item = single.type === "list" ? single.items[0] : undefined;
      const span = (item === undefined ? undefined : (entryOf(item, "type") ?? item))?.span ?? single.span;
      const [bean] = bound.values["beans"] as readonly TemplateBean[];
      yield { bean, span, diagnostics: bound.diagnostics };
    }
  }
}

function routeTree({ tree }: Template): Tree {
  return entryOf(tree, "route") ?? { ...tree, entries: tree.entries.filter(({ key }) => key === "from") };
}

function withPrefix(tree: Tree, prefix: string): Tree {
  if (tree.type !== "map") return tree;
  const { span } = tree;
  return { ...tree, entries: [...tree.entries, { key: "nodePrefixId", keySpan: span, value: { type: "scalar", text: prefix, quoted: true, span } }] };
}

export const entryOf = (tree: Tree, key: string): Tree | undefined =>
  tree.type === "map" ? tree.entries.find((entry) => entry.key === key)?.value : undefined;
export const textOf = (tree: Tree | undefined): string | undefined => (tree?.type === "scalar" ? (tree.text ?? undefined) : undefined);

/** Adds defaults; returns the name of a parameter that has no value. */
export function fillDefaults({ parameters }: Template, values: Map<string, string>): string | undefined {
  for (const { name, defaultValue } of parameters) if (!values.has(name) && defaultValue !== undefined) values.set(name, defaultValue);
  return parameters.find(({ name, required }) => required !== false && !values.has(name))?.name;
}

/** Fills in missing parameters of a Kamelet from properties: those of the configuration that its URI names, then those of the Kamelet. */
export function fillProperties({ kamelet, parameters }: Template, configuration: string | undefined, values: Map<string, string>, property: Lookup): void {
  if (kamelet === undefined) return;
  const prefix = `camel.kamelet.${kamelet.kamelet}`;
  for (const { name } of parameters) {
    if (values.has(name)) continue;
    const value = (configuration === undefined ? undefined : property(`${prefix}.${configuration}.${name}`)) ?? property(`${prefix}.${name}`);
    if (value !== undefined) values.set(name, value);
  }
}

/** Warnings about the values passed to a Kamelet. Camel accepts other names and values too. */
export function kameletWarnings({ name, kamelet }: Template, values: ReadonlyMap<string, string>): readonly string[] {
  if (kamelet === undefined) return [];
  const declared = new Map(kamelet.parameters.map((parameter) => [parameter.name, parameter]));
  return [...values].flatMap(([key, value]) => {
    const parameter = declared.get(key);
    if (parameter === undefined) {
      const suggestion = closest(key, declared.keys());
      return [`Kamelet '${name}' has no parameter '${key}'${suggestion === undefined ? "" : ` (did you mean '${suggestion}'?)`}: it is ignored`];
    }
    if (parameter.secret || parameter.values === undefined || parameter.values.includes(value)) return [];
    const listed = parameter.values.slice(0, 12).join(", ");
    return [
      `'${value.slice(0, 60)}' is not one of the values that Kamelet '${name}' lists for '${key}': ${listed}${parameter.values.length > 12 ? ", …" : ""}`,
    ];
  });
}
