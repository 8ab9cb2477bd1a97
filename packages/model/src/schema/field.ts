// The vocabulary in which steps, connectors, formats, settings and API bodies declare their options. A field is a zod type with metadata: one
// declaration defines coercion, TypeScript type, JSON Schema, docs row and designer input. YAML scalars arrive as their source text, so every
// kind reads text.
import { z } from "zod";
import type { EndpointNode, ExpressionNode, FormatNode, StepNode } from "../flow/flow-document.ts";
import { parseDuration } from "./duration.ts";
import { parseSize } from "./size.ts";

export type Kind =
  | "string"
  | "boolean"
  | "integer"
  | "number"
  | "duration"
  | "size"
  | "enum"
  | "uri"
  | "parameters"
  | "expression"
  | "steps"
  | "format"
  | "list"
  | "object";

/** Metadata of a field for authors and tools. */
export interface Spec<T = unknown> {
  /** One sentence for the reference and the designer's help. */
  readonly doc: string;
  readonly title?: string;
  readonly required?: boolean;
  readonly default?: T;
  readonly group?: "common" | "advanced" | "security";
  /** The value is never printed, traced or listed. */
  readonly secret?: boolean;
  readonly examples?: readonly T[];
  /** The value usually has several lines, such as a certificate. */
  readonly multiline?: boolean;
  /** The value names a connection that provides one of these kinds, or a bean that describes one. */
  readonly connection?: readonly string[];
  /** The value is, or contains, a name that the connection of the endpoint can list. */
  readonly browse?: BrowsedName;
  /** The value, or each item of the list, is one of these names, which tools can list. */
  readonly names?: NameKind;
  /** Why this Camel option is not supported; a flow that sets it is rejected with this sentence. */
  readonly unsupported?: string;
  /** A warning about the value, such as one with a different meaning in an older version of Camel. */
  caution?(text: string): string | undefined;
}

/** What a value names: an exception type, a bean, a mapping, or a route that is called. */
export const nameKinds = ["exception", "aggregation-strategy", "mapping-document", "mapping-table", "route"] as const;
export type NameKind = (typeof nameKinds)[number];

export interface BrowsedName {
  /** The kind of name: one of `browses` of the connection type, such as `topics`. */
  readonly what: string;
  /** The name is a part of the value, such as a table in a statement. */
  readonly within?: boolean;
}

/** Run-time information about a field; see {@link describe}. */
export interface FieldInfo {
  readonly kind: Kind;
  readonly spec: Spec;
  readonly values?: readonly string[];
  readonly item?: Field<unknown>;
  readonly fields?: Fields;
  /** For expressions: written with the language as a key next to the other options (`setBody: {simple: …}`). */
  readonly inline?: boolean;
  /** For an object: the author may write a single string instead, which sets this member. */
  readonly shorthand?: string;
  /** For parameters: values may be mappings and lists, which are flattened to names such as `a.b` and `a[0]`. */
  readonly nested?: boolean;
}

export type Field<T> = z.ZodType<T>;
export type Fields = Readonly<Record<string, Field<any>>>;
export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

type FieldValue<T, S extends Spec<T>> = S extends { required: true }
  ? T
  : S extends { default: infer D }
    ? undefined extends D
      ? T | undefined
      : T
    : T | undefined;

/** Stored on the field itself, so that fields created by another copy of this package work too. */
const infoOf: unique symbol = Symbol.for("sluice.field");

type DescribedType = z.ZodType & { readonly [infoOf]?: FieldInfo };

/** The metadata of a field. */
export function describe(field: Field<unknown>): FieldInfo {
  const info = (field as DescribedType)[infoOf];
  if (info === undefined) throw new Error("not a field of the vocabulary: create it with f.*");
  return info;
}

const unknownType = z.unknown();

/** A zod type that is created when it is first used: startup declares more than a thousand fields and reads few of them. */
class LazyType {
  readonly [infoOf]: FieldInfo;
  readonly #create: () => z.ZodType;
  #type: z.ZodType | undefined;

  constructor(info: FieldInfo, create: () => z.ZodType) {
    this[infoOf] = info;
    this.#create = create;
  }

  get #created(): z.ZodType {
    if (this.#type !== undefined) return this.#type;
    this.#type = this.#create();
    const { doc, title, secret } = this[infoOf].spec;
    const meta = { description: doc, ...(title === undefined ? {} : { title }), ...(secret === true ? { "x-secret": true } : {}) };
    z.globalRegistry.add(this as unknown as z.ZodType, meta);
    return this.#type;
  }

  // The state of a zod type; the methods of its prototype use nothing else.
  get _zod(): z.ZodType["_zod"] {
    return this.#created._zod;
  }

  get def(): z.ZodType["def"] {
    return this.#created.def;
  }

  get type(): z.ZodType["type"] {
    return this.#created.type;
  }
}
Object.setPrototypeOf(LazyType.prototype, Object.getPrototypeOf(unknownType) as object);

function field<T, S extends Spec<T>>(kind: Kind, create: () => z.ZodType<T>, spec: S, more: Partial<FieldInfo> = {}): Field<FieldValue<T, S>> {
  const createType = (): z.ZodType =>
    spec.required === true ? create() : spec.default === undefined ? create().optional() : create().default(spec.default as never);
  return new LazyType({ kind, spec, ...more }, createType) as unknown as Field<FieldValue<T, S>>;
}

function fromText<T>(expected: string, read: (text: string) => T | undefined): z.ZodType<T> {
  return unknownType.transform((raw, context) => {
    const value = typeof raw === "string" ? read(raw.trim()) : undefined;
    if (value !== undefined) return value;
    context.addIssue({
      code: "custom",
      message: `expected ${expected}, got ${typeof raw === "string" ? `'${raw}'` : (raw ?? null) === null ? "nothing" : Array.isArray(raw) ? "a list" : "a mapping"}`,
    });
    return z.NEVER;
  });
}

const readBoolean = (text: string): boolean | undefined => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined);
const readInteger = (text: string): number | undefined => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined);
const readNumber = (text: string): number | undefined => (/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined);

/** Enum values ignore case and accept kebab-case: `in-only` and `INONLY` are `InOnly`. */
const fold = (text: string): string => text.replaceAll(/[-_]/g, "").toLowerCase();

/** An exact match takes precedence: `1` is not `-1`. */
const valueOf = (values: readonly string[], text: string): string | undefined =>
  values.includes(text) ? text : values.find((value) => fold(value) === fold(text));

// One shared type per kind: creating it is the most expensive part of a field.
const anyText = fromText("text", (text) => text);
const plainText = z.string();
const booleanType = fromText("true or false", readBoolean);
const integer = fromText("an integer", readInteger);
const number = fromText("a number", readNumber);
const duration = fromText("a duration such as 500, 10s or 1m30s", parseDuration);
const size = fromText("a size such as 65536, 64k or 10MiB", parseSize);
const uri = fromText("an endpoint URI", (text) => (text === "" ? undefined : text));
const parameters = z.record(z.string(), z.string()) as unknown as z.ZodType<Readonly<Record<string, string>>>;
const expression = z.custom<ExpressionNode>();
const steps = z.custom<readonly StepNode[]>();
const format = z.custom<FormatNode>();

/** The fields an option can be declared with. */
export const f = {
  string: <const S extends Spec<string>>(spec: S) => field<string, S>("string", () => anyText, spec),
  /** A Camel option that is not supported, with the reason and the alternative. */
  unsupported: (reason: string) =>
    field<string, Spec<string>>("string", () => anyText, { doc: `Not supported: ${reason}.`, unsupported: reason, group: "advanced" }),
  /** Text that is used exactly as typed, including whitespace. */
  text: <const S extends Spec<string>>(spec: S) => field<string, S>("string", () => plainText, spec),
  boolean: <const S extends Spec<boolean>>(spec: S) => field<boolean, S>("boolean", () => booleanType, spec),
  integer: <const S extends Spec<number>>(spec: S & { min?: number; max?: number }) => field<number, S>("integer", () => withBounds(integer, spec), spec),
  number: <const S extends Spec<number>>(spec: S & { min?: number; max?: number }) => field<number, S>("number", () => withBounds(number, spec), spec),
  /** Milliseconds, or `10s`, `1m30s`, `1h`; the value is milliseconds. */
  duration: <const S extends Spec<number>>(spec: S) => field<number, S>("duration", () => duration, spec),
  /** Bytes, or `64k`, `10MiB`; the value is bytes. */
  size: <const S extends Spec<number>>(spec: S) => field<number, S>("size", () => size, spec),
  enum: <const V extends readonly [string, ...string[]], const S extends Spec<V[number]>>(values: V, spec: S) =>
    field<V[number], S>("enum", () => fromText(`one of ${values.join(", ")}`, (text) => valueOf(values, text) as V[number] | undefined), spec, { values }),
  /** An endpoint URI; its other options come from a `parameters` field of the same declaration. */
  uri: <const S extends Spec<string>>(spec: S) => field<string, S>("uri", () => uri, spec),
  parameters: <const S extends Spec<Readonly<Record<string, string>>> & { nested?: boolean }>(spec: S) =>
    field<Readonly<Record<string, string>>, S>("parameters", () => parameters, spec, { nested: spec.nested === true }),
  expression: <const S extends Spec<ExpressionNode> & { inline?: boolean }>(spec: S) =>
    field<ExpressionNode, S>("expression", () => expression, spec, { inline: spec.inline === true }),
  steps: <const S extends Spec<readonly StepNode[]>>(spec: S) => field<readonly StepNode[], S>("steps", () => steps, spec),
  format: <const S extends Spec<FormatNode>>(spec: S) => field<FormatNode, S>("format", () => format, spec),
  list: <T, const S extends Spec<readonly T[]> & { shorthand?: string }>(item: Field<T>, spec: S) =>
    field<readonly T[], S>("list", () => z.array(item), spec, { item }),
  object: <F extends Fields, const S extends Spec<Values<F>> & { shorthand?: string }>(fields: F, spec: S) =>
    field<Values<F>, S>("object", () => z.object(fields) as unknown as z.ZodType<Values<F>>, spec, {
      fields,
      ...(spec.shorthand === undefined ? {} : { shorthand: spec.shorthand }),
    }),
};

function withBounds(type: z.ZodType<number>, spec: { min?: number; max?: number }): z.ZodType<number> {
  const { min = -Infinity, max = Infinity } = spec;
  if (min === -Infinity && max === Infinity) return type;
  return type.refine((value) => value >= min && value <= max, {
    message:
      Number.isFinite(min) && Number.isFinite(max)
        ? `must be between ${min} and ${max}`
        : Number.isFinite(min)
          ? `must be ${min} or more`
          : `must be ${max} or less`,
  });
}

export type { EndpointNode };
