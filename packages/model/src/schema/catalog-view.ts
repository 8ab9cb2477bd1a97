// The declarations as JSON: all that palette, forms, nesting and reference are drawn from. Which declarations there are is
// the caller's business; connectors and beans are described by shape, since only the engine knows what they do.
import { describe } from "./field.ts";
import type { Field, FieldInfo, Fields, Kind } from "./field.ts";
import type { Described, EntityShape, FormatShape, LanguageShape, StepShape, Vocabulary } from "./shape.ts";

export interface OptionView {
  readonly name: string;
  /** What the value means and how it is drawn; `steps` nests, `expression` takes a language. */
  readonly kind: Kind;
  /** What the value is in JSON. */
  readonly type: "string" | "boolean" | "integer" | "number" | "array" | "object";
  readonly title?: string;
  readonly doc: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** The words an enum allows. */
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly group: "common" | "advanced" | "security";
  readonly secret: boolean;
  readonly examples?: readonly unknown[];
  /** For an expression: its language is written as a key beside the other options. */
  readonly inline?: boolean;
  /** For an object: the member that a bare text stands for. */
  readonly shorthand?: string;
  /** For a list: what each item is. */
  readonly item?: OptionView;
  /** For an object: its members. */
  readonly fields?: readonly OptionView[];
}

export interface DescribedView extends Described {
  readonly examples: readonly unknown[];
}

export interface StepView extends DescribedView, Omit<StepShape, "options"> {
  readonly options: readonly OptionView[];
}

export interface LanguageView extends DescribedView, Omit<LanguageShape, "options"> {
  readonly textKey: string;
  readonly options: readonly OptionView[];
}

export interface FormatView extends DescribedView, Omit<FormatShape, "options"> {
  readonly options: readonly OptionView[];
}

export interface EntityView extends DescribedView, Omit<EntityShape, "options"> {
  readonly options: readonly OptionView[];
}

export interface ConnectorView extends DescribedView {
  readonly scheme: string;
  readonly aliases: readonly string[];
  readonly syntax: string;
  /** Unknown options belong to the address and are no fault. */
  readonly lenient: boolean;
  /** Whether routes can start from it, send to it, or ask it for one message. */
  readonly roles: readonly ConnectorRole[];
  readonly path: readonly OptionView[];
  readonly options: readonly OptionView[];
  readonly headers: readonly OptionView[];
}

export interface BeanView extends DescribedView {
  readonly names: readonly string[];
  readonly kind: string;
  readonly properties: readonly OptionView[];
}

export interface CatalogView {
  /** What every step takes beside its own options. */
  readonly common: readonly OptionView[];
  readonly route: readonly OptionView[];
  readonly from: readonly OptionView[];
  readonly steps: readonly StepView[];
  readonly connectors: readonly ConnectorView[];
  readonly languages: readonly LanguageView[];
  readonly formats: readonly FormatView[];
  readonly entities: readonly EntityView[];
  readonly beans: readonly BeanView[];
  /** Camel words that are refused, each with what to use instead. */
  readonly refused: Readonly<Record<string, string>>;
}

export type ConnectorRole = "source" | "sink" | "poller";

export interface ConnectorShape extends Described {
  readonly scheme: string;
  readonly aliases?: readonly string[];
  readonly syntax: string;
  readonly path: Fields;
  readonly options: Fields;
  readonly lenient?: boolean;
  readonly headers: Fields;
}

export interface BeanShape extends Described {
  readonly names: readonly string[];
  readonly kind: string;
  readonly properties: Fields;
}

export interface CatalogParts extends Vocabulary {
  readonly connectors: ReadonlyMap<string, ConnectorShape>;
  readonly beans: ReadonlyMap<string, BeanShape>;
  /** What only building a connector can tell. */
  rolesOf(connector: ConnectorShape): readonly ConnectorRole[];
  readonly common: Fields;
  readonly route: Fields;
  readonly from: Fields;
}

export function catalogView(parts: CatalogParts): CatalogView {
  return {
    common: fieldsView(parts.common),
    route: fieldsView(parts.route),
    from: fieldsView(parts.from),
    steps: distinct(parts.steps).map((step) => ({
      ...described(step),
      name: step.name,
      ...flags(step, ["shorthand", "adoptsSiblings"]),
      options: fieldsView(step.options),
    })),
    connectors: distinct(parts.connectors).map((connector) => connectorView(connector, parts.rolesOf(connector))),
    languages: distinct(parts.languages).map((language) => ({
      ...described(language),
      name: language.name,
      textKey: language.textKey ?? "expression",
      options: fieldsView(language.options),
    })),
    formats: distinct(parts.formats).map((format) => ({
      ...described(format),
      name: format.name,
      ...flags(format, ["shorthand"]),
      options: fieldsView(format.options),
    })),
    entities: distinct(parts.entities).map((entity) => ({
      ...described(entity),
      name: entity.name,
      ...flags(entity, ["shorthand", "beforeRoutes", "many", "raw"]),
      options: fieldsView(entity.options),
    })),
    beans: distinct(parts.beans).map((bean) => ({ ...described(bean), names: bean.names, kind: bean.kind, properties: fieldsView(bean.properties) })),
    refused: Object.fromEntries(parts.refused),
  };
}

/** The fields of a declaration in their order. */
export function fieldsView(fields: Fields): readonly OptionView[] {
  return Object.entries(fields).map(([name, field]) => optionView(name, field));
}

function optionView(name: string, field: Field<unknown>): OptionView {
  const info = describe(field);
  const { spec, values, inline, shorthand, item, fields } = info;
  const { min, max } = spec as { min?: number; max?: number };
  return {
    name,
    kind: info.kind,
    type: typeOf(info),
    ...(spec.title === undefined ? {} : { title: spec.title }),
    doc: spec.doc,
    required: spec.required === true,
    ...(spec.default === undefined ? {} : { default: spec.default }),
    ...(values === undefined ? {} : { values }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    group: spec.group ?? "common",
    secret: spec.secret === true,
    ...(spec.examples === undefined ? {} : { examples: spec.examples }),
    ...(inline === true ? { inline } : {}),
    ...(shorthand === undefined ? {} : { shorthand }),
    ...(item === undefined ? {} : { item: optionView("", item) }),
    ...(fields === undefined ? {} : { fields: fieldsView(fields) }),
  };
}

function typeOf({ kind }: FieldInfo): OptionView["type"] {
  switch (kind) {
    case "boolean":
    case "integer":
    case "number":
      return kind;
    case "duration":
    case "size":
      return "integer";
    case "list":
    case "steps":
      return "array";
    case "object":
    case "parameters":
    case "expression":
    case "format":
      return "object";
    default:
      return "string";
  }
}

function described(shape: Described & { readonly examples?: readonly unknown[] }): DescribedView {
  const { title, summary, group, icon, since, examples } = shape;
  return { title, summary, group, ...(icon === undefined ? {} : { icon }), since, examples: examples ?? [] };
}

function connectorView(connector: ConnectorShape, roles: readonly ConnectorRole[]): ConnectorView {
  const { scheme, aliases, syntax, lenient, path, options, headers } = connector;
  return {
    ...described(connector),
    scheme,
    aliases: aliases ?? [],
    syntax,
    lenient: lenient === true,
    roles,
    path: fieldsView(path),
    options: fieldsView(options),
    headers: fieldsView(headers),
  };
}

function flags<T, K extends keyof T>(shape: T, names: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(names.filter((name) => shape[name] !== undefined).map((name) => [name, shape[name]])) as Partial<Pick<T, K>>;
}

/** A declaration that answers to several names is shown once. */
function distinct<T>(named: ReadonlyMap<string, T>): readonly T[] {
  return [...new Set(named.values())];
}
