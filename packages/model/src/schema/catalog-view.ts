// The declarations as JSON, for the palette, the forms and the nesting rules of the designer and for the reference. The caller chooses the
// declarations; connectors and beans are described by shape, since only the engine can run them.
import type { Kamelet } from "../documents/kamelet.ts";
import { describe } from "./field.ts";
import type { BrowsedName, Field, FieldInfo, Fields, Kind, NameKind } from "./field.ts";
import type { Described, EntityShape, FormatShape, LanguageShape, StepShape, Vocabulary } from "./shape.ts";

export interface OptionView {
  readonly name: string;
  /** The meaning of the value and its input control; `steps` nests, `expression` takes a language. */
  readonly kind: Kind;
  /** The JSON type of the value. */
  readonly type: "string" | "boolean" | "integer" | "number" | "array" | "object";
  readonly title?: string;
  readonly doc: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** The values of an enum. */
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly group: "common" | "advanced" | "security";
  readonly secret: boolean;
  readonly examples?: readonly unknown[];
  /** The value usually has several lines, such as a certificate. */
  readonly multiline?: boolean;
  /** The value names a connection that provides one of these kinds, or a bean that describes one. */
  readonly connection?: readonly string[];
  /** The value is, or contains, a name that the connection of the endpoint can list. */
  readonly browse?: BrowsedName;
  /** The value is one of these names, which tools can list. */
  readonly names?: NameKind;
  /** For an expression: its language is written as a key next to the other options. */
  readonly inline?: boolean;
  /** For an object: the member that a bare string sets. */
  readonly shorthand?: string;
  /** For a list: the type of its items. */
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
  /** Unknown options are part of the address and not errors. */
  readonly lenient: boolean;
  /** Whether routes can start from it, send to it, or poll it for one message. */
  readonly roles: readonly ConnectorRole[];
  /** The kind of trigger of its sources; absent when routes cannot start from it. */
  readonly trigger?: TriggerKind;
  /** Options that a source needs although they are optional for a sink, with values to start from. */
  readonly sourceStarter?: Readonly<Record<string, string>>;
  /** Options that a sink needs although they are optional for a source, with values to start from. */
  readonly sinkStarter?: Readonly<Record<string, string>>;
  /** True when messages sent to it stay in the runtime; absent when they reach another system. */
  readonly local?: boolean;
  readonly path: readonly OptionView[];
  readonly options: readonly OptionView[];
  readonly headers: readonly OptionView[];
  /** False when its options are not loaded: request the catalog with `scheme` or `full`. */
  readonly loaded?: boolean;
}

/** A type of connection, such as `postgres`. */
export interface ConnectionTypeView extends DescribedView {
  readonly type: string;
  readonly kinds: readonly string[];
  readonly fields: readonly OptionView[];
  /** The Camel classes that describe it. */
  readonly beans: readonly string[];
  readonly needs: readonly { readonly package: string; readonly version: string; readonly reason: string }[];
  /** Servers that it is tested against, with their versions. */
  readonly verifiedAgainst: readonly string[];
  /** True when `browse` can list names. */
  readonly browsable: boolean;
  /** The kinds of names that `browse` can list, such as `tables`. */
  readonly browses: readonly string[];
}

export interface BeanView extends DescribedView {
  readonly names: readonly string[];
  readonly kind: string;
  readonly properties: readonly OptionView[];
}

/** A Kamelet that flows can use. */
export interface KameletView {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** `source`, `sink` or `action`. */
  readonly type: string;
  readonly parameters: readonly OptionView[];
}

export interface CatalogView {
  /** Options of every step. */
  readonly common: readonly OptionView[];
  readonly route: readonly OptionView[];
  readonly from: readonly OptionView[];
  readonly steps: readonly StepView[];
  readonly connectors: readonly ConnectorView[];
  readonly languages: readonly LanguageView[];
  readonly formats: readonly FormatView[];
  readonly entities: readonly EntityView[];
  readonly beans: readonly BeanView[];
  /** The loaded connection types; with `full=true`, all connection types. */
  readonly connections: readonly ConnectionTypeView[];
  /** The Kamelets of the runtime that can be read. */
  readonly kamelets: readonly KameletView[];
  /** The packages an operator loaded, each with the names it adds. */
  readonly plugins: readonly PluginView[];
  /** The exception types that flows can name. */
  readonly exceptions: readonly string[];
  /** Camel names that are rejected, each with its replacement. */
  readonly refused: Readonly<Record<string, string>>;
}

export interface PluginView {
  readonly name: string;
  readonly version: string;
  readonly connectors: readonly string[];
  readonly steps: readonly string[];
  readonly languages: readonly string[];
  readonly formats: readonly string[];
  readonly beans: readonly string[];
  readonly connections: readonly string[];
}

export type ConnectorRole = "source" | "sink" | "poller";

/** What triggers a source: another `route` of the runtime, an HTTP `request`, a `schedule`, or a system `outside` the runtime. */
export type TriggerKind = "route" | "request" | "schedule" | "outside";

export interface ConnectorShape extends Described {
  readonly scheme: string;
  readonly aliases?: readonly string[];
  readonly syntax: string;
  readonly path: Fields;
  readonly options: Fields;
  readonly lenient?: boolean;
  readonly prefixes?: readonly string[];
  readonly headers: Fields;
  readonly roles: readonly ConnectorRole[];
  readonly trigger?: TriggerKind;
  readonly sourceStarter?: Readonly<Record<string, string>>;
  readonly sinkStarter?: Readonly<Record<string, string>>;
  readonly local?: boolean;
  readonly usesStore?: boolean;
}

export interface BeanShape extends Described {
  readonly names: readonly string[];
  readonly kind: string;
  readonly properties: Fields;
}

export interface ConnectionTypeShape extends Described {
  readonly type: string;
  readonly kinds: readonly string[];
  readonly fields: Fields;
  readonly beans?: readonly { readonly names: readonly string[] }[];
  readonly needs: ConnectionTypeView["needs"];
  readonly verifiedAgainst?: readonly string[];
  readonly browse?: unknown;
  readonly browses?: readonly string[];
}

/** A connector whose declaration is not loaded. */
export interface UnloadedConnector extends Described {
  readonly scheme: string;
  readonly aliases?: readonly string[];
  readonly roles: readonly ConnectorRole[];
}

export interface CatalogParts extends Vocabulary {
  readonly connections: ReadonlyMap<string, ConnectionTypeShape>;
  readonly unloaded: readonly UnloadedConnector[];
  readonly connectors: ReadonlyMap<string, ConnectorShape>;
  readonly beans: ReadonlyMap<string, BeanShape>;
  readonly kamelets: readonly Omit<Kamelet, "template">[];
  readonly plugins: readonly PluginView[];
  readonly exceptions: readonly string[];
  /** The options of every step. */
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
      ...describedView(step),
      name: step.name,
      ...definedMembers(step, ["shorthand", "adoptsSiblings", "clausesInSteps", "lanes", "stepsTitle"]),
      options: fieldsView(step.options),
    })),
    connectors: [...distinct(parts.connectors).map((connector) => connectorView(connector)), ...parts.unloaded.map(unloadedView)].toSorted((one, other) =>
      one.scheme < other.scheme ? -1 : 1,
    ),
    connections: distinct(parts.connections).map(connectionTypeView),
    languages: distinct(parts.languages).map((language) => ({
      ...describedView(language),
      name: language.name,
      textKey: language.textKey ?? "expression",
      options: fieldsView(language.options),
    })),
    formats: distinct(parts.formats).map((format) => ({
      ...describedView(format),
      name: format.name,
      ...definedMembers(format, ["shorthand"]),
      options: fieldsView(format.options),
    })),
    entities: distinct(parts.entities).map((entity) => ({
      ...describedView(entity),
      name: entity.name,
      ...definedMembers(entity, ["shorthand", "beforeRoutes", "many", "raw"]),
      options: fieldsView(entity.options),
    })),
    beans: distinct(parts.beans).map((bean) => ({ ...describedView(bean), names: bean.names, kind: bean.kind, properties: fieldsView(bean.properties) })),
    kamelets: parts.kamelets.map(kameletView),
    plugins: parts.plugins,
    exceptions: parts.exceptions,
    refused: Object.fromEntries(parts.refused),
  };
}

/** The fields of a declaration, in order. */
export function fieldsView(fields: Fields): readonly OptionView[] {
  const supported = Object.entries(fields).filter(([, field]) => describe(field).spec.unsupported === undefined);
  return supported.map(([name, field]) => optionView(name, field));
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
    ...(spec.multiline === true ? { multiline: true } : {}),
    ...(spec.connection === undefined ? {} : { connection: spec.connection }),
    ...(spec.browse === undefined ? {} : { browse: spec.browse }),
    ...(spec.names === undefined ? {} : { names: spec.names }),
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

function describedView(shape: Described & { readonly examples?: readonly unknown[] }): DescribedView {
  const { title, summary, group, since, examples } = shape;
  return {
    title,
    summary,
    ...definedMembers(shape, ["guarantees"]),
    group,
    ...definedMembers(shape, ["icon", "keywords", "paletteGroup", "card"]),
    since,
    examples: examples ?? [],
  };
}

function connectorView(connector: ConnectorShape): ConnectorView {
  const { roles, scheme, aliases, syntax, lenient, path, options, headers } = connector;
  return {
    ...describedView(connector),
    scheme,
    aliases: aliases ?? [],
    syntax,
    lenient: lenient === true,
    roles,
    ...definedMembers(connector, ["trigger", "sourceStarter", "sinkStarter"]),
    ...(connector.local === true || connector.usesStore === true ? { local: true } : {}),
    path: fieldsView(path),
    options: fieldsView(options),
    headers: fieldsView(headers),
  };
}

function unloadedView(entry: UnloadedConnector): ConnectorView {
  const { scheme, aliases = [], roles } = entry;
  return { ...describedView(entry), scheme, aliases, syntax: `${scheme}:`, lenient: false, roles, path: [], options: [], headers: [], loaded: false };
}

function connectionTypeView(shape: ConnectionTypeShape): ConnectionTypeView {
  const { type, kinds, fields, beans = [], needs, verifiedAgainst = [], browse, browses = [] } = shape;
  return {
    ...describedView(shape),
    type,
    kinds,
    fields: fieldsView(fields),
    beans: beans.flatMap(({ names }) => names),
    needs,
    verifiedAgainst,
    browsable: browse !== undefined,
    browses,
  };
}

const plainTypes = ["integer", "number", "boolean"] as const;

function kameletView({ name, title, description, type, parameters }: Omit<Kamelet, "template">): KameletView {
  return {
    name,
    title: title ?? name,
    summary: description ?? "",
    type,
    parameters: parameters.map((parameter) => {
      const kind = parameter.values === undefined ? (plainTypes.find((type) => type === parameter.type) ?? "string") : "enum";
      return {
        name: parameter.name,
        kind,
        type: kind === "enum" ? "string" : kind,
        ...definedMembers(parameter, ["title", "default", "values"]),
        doc: parameter.description ?? "",
        required: parameter.required,
        group: "common",
        secret: parameter.secret,
        ...(parameter.example === undefined ? {} : { examples: [parameter.example] }),
      };
    }),
  };
}

function definedMembers<T, K extends keyof T>(shape: T, names: readonly K[]): Partial<Pick<T, K>> {
  return Object.fromEntries(names.filter((name) => shape[name] !== undefined).map((name) => [name, shape[name]])) as Partial<Pick<T, K>>;
}

/** A declaration with several names is listed once. */
function distinct<T>(named: ReadonlyMap<string, T>): readonly T[] {
  return [...new Set(named.values())];
}
