// The vocabulary in which steps, connectors, formats, settings and API bodies declare their options. A field is a
// zod type with what we must know about it beside: one declaration gives coercion, TypeScript type, JSON Schema,
// docs row and designer input. YAML scalars arrive as their source text, so every kind reads text.
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

/** What an author and the tools are told about a field. */
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
}

/** What is known of a field at run time; found with {@link describe}. */
export interface FieldInfo {
  readonly kind: Kind;
  readonly spec: Spec;
  readonly values?: readonly string[];
  readonly item?: Field<unknown>;
  readonly fields?: Fields;
  /** For expressions: written with the language as a key beside the other options (`setBody: {simple: …}`). */
  readonly inline?: boolean;
  /** For a list or an object: the author may give one text instead, which becomes this member. */
  readonly shorthand?: string;
}

export type Field<T> = z.ZodType<T>;
export type Fields = Readonly<Record<string, Field<any>>>;
export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

type Given<T, S extends Spec<T>> = S extends { required: true }
  ? T
  : S extends { default: infer D }
    ? undefined extends D
      ? T | undefined
      : T
    : T | undefined;

const infos = new WeakMap<z.ZodType, FieldInfo>();

/** What the vocabulary knows about a field. */
export function describe(field: Field<unknown>): FieldInfo {
  const info = infos.get(field);
  if (info === undefined) throw new Error("not a field of the vocabulary: make it with f.*");
  return info;
}

function field<T, S extends Spec<T>>(kind: Kind, type: z.ZodType<T>, spec: S, more: Partial<FieldInfo> = {}): Field<Given<T, S>> {
  // Many fields share a type, and a field is known by the type it is.
  const open = spec.required === true ? type.clone() : spec.default === undefined ? type.optional() : type.default(spec.default as never);
  // What `meta` would do without making the type a second time: a start declares more than a thousand fields.
  z.globalRegistry.add(open, {
    description: spec.doc,
    ...(spec.title === undefined ? {} : { title: spec.title }),
    ...(spec.secret === true ? { "x-secret": true } : {}),
  });
  infos.set(open, { kind, spec, ...more });
  return open as unknown as Field<Given<T, S>>;
}

const anything = z.unknown();

function fromText<T>(expected: string, read: (text: string) => T | undefined): z.ZodType<T> {
  return anything.transform((raw, context) => {
    const value = typeof raw === "string" ? read(raw.trim()) : undefined;
    if (value !== undefined) return value;
    context.addIssue({
      code: "custom",
      message: `expected ${expected}, got ${typeof raw === "string" ? `'${raw}'` : raw === null ? "nothing" : Array.isArray(raw) ? "a list" : "a mapping"}`,
    });
    return z.NEVER;
  }) as unknown as z.ZodType<T>;
}

const readBoolean = (text: string): boolean | undefined => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined);
const readInteger = (text: string): number | undefined => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined);
const readNumber = (text: string): number | undefined => (/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined);

/** `completion-size` and `CompletionSize` both name `completionSize`: enum values ignore case and accept kebab-case. */
const fold = (text: string): string => text.replaceAll(/[-_]/g, "").toLowerCase();

// One type for all fields of a kind: making it takes longer than anything else about a field.
const anyText = fromText("text", (given) => given);
const plainText = z.string();
const truth = fromText("true or false", readBoolean);
const integer = fromText("a whole number", readInteger);
const number = fromText("a number", readNumber);
const duration = fromText("a duration such as 500, 10s or 1m30s", parseDuration);
const size = fromText("a size such as 65536, 64k or 10MiB", parseSize);
const uri = fromText("an endpoint URI", (given) => (given === "" ? undefined : given));
const parameters = z.record(z.string(), z.string()) as unknown as z.ZodType<Readonly<Record<string, string>>>;
const expression = z.custom<ExpressionNode>();
const steps = z.custom<readonly StepNode[]>();
const format = z.custom<FormatNode>();

/** The fields an option can be declared with. */
export const f = {
  string: <const S extends Spec<string>>(spec: S) => field<string, S>("string", anyText, spec),
  /** Text that is taken exactly as typed, blanks included. */
  text: <const S extends Spec<string>>(spec: S) => field<string, S>("string", plainText, spec),
  boolean: <const S extends Spec<boolean>>(spec: S) => field<boolean, S>("boolean", truth, spec),
  integer: <const S extends Spec<number>>(spec: S & { min?: number; max?: number }) => field<number, S>("integer", within(integer, spec), spec),
  number: <const S extends Spec<number>>(spec: S & { min?: number; max?: number }) => field<number, S>("number", within(number, spec), spec),
  /** Milliseconds, or `10s`, `1m30s`, `1h`; the value is milliseconds. */
  duration: <const S extends Spec<number>>(spec: S) => field<number, S>("duration", duration, spec),
  /** Bytes, or `64k`, `10MiB`; the value is bytes. */
  size: <const S extends Spec<number>>(spec: S) => field<number, S>("size", size, spec),
  enum: <const V extends readonly [string, ...string[]], const S extends Spec<V[number]>>(values: V, spec: S) =>
    field<V[number], S>(
      "enum",
      fromText(`one of ${values.join(", ")}`, (text) => values.find((value) => fold(value) === fold(text)) as V[number] | undefined),
      spec,
      { values },
    ),
  /** An endpoint URI; options beside it come from a `parameters` field of the same declaration. */
  uri: <const S extends Spec<string>>(spec: S) => field<string, S>("uri", uri, spec),
  parameters: <const S extends Spec<Readonly<Record<string, string>>>>(spec: S) => field<Readonly<Record<string, string>>, S>("parameters", parameters, spec),
  expression: <const S extends Spec<ExpressionNode> & { inline?: boolean }>(spec: S) =>
    field<ExpressionNode, S>("expression", expression, spec, { inline: spec.inline === true }),
  steps: <const S extends Spec<readonly StepNode[]>>(spec: S) => field<readonly StepNode[], S>("steps", steps, spec),
  format: <const S extends Spec<FormatNode>>(spec: S) => field<FormatNode, S>("format", format, spec),
  list: <T, const S extends Spec<readonly T[]> & { shorthand?: string }>(item: Field<T>, spec: S) =>
    field<readonly T[], S>("list", z.array(item) as unknown as z.ZodType<readonly T[]>, spec, { item: item as Field<unknown> }),
  object: <F extends Fields, const S extends Spec<Values<F>> & { shorthand?: string }>(fields: F, spec: S) =>
    field<Values<F>, S>("object", z.object(fields as Record<string, z.ZodType>) as unknown as z.ZodType<Values<F>>, spec, {
      fields,
      ...(spec.shorthand === undefined ? {} : { shorthand: spec.shorthand }),
    }),
};

function within(type: z.ZodType<number>, spec: { min?: number; max?: number }): z.ZodType<number> {
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
