// Generates values from a JSON Schema. Unsupported types and external references are rejected; other unsupported keywords are ignored.
import type fastCheck from "fast-check";
import type { Arbitrary } from "fast-check";

type Fc = typeof fastCheck;
type Schema = Readonly<Record<string, unknown>>;

const maxDepth = 8;

/** Values that the schema allows. */
export function arbitraryOf(fc: Fc, schema: unknown): Arbitrary<unknown> {
  return build(fc, schema, schema, 0);
}

function build(fc: Fc, schema: unknown, root: unknown, depth: number): Arbitrary<unknown> {
  if (schema === true || schema === undefined) return fc.jsonValue({ maxDepth: 2 });
  if (typeof schema !== "object" || schema === null) throw new Error("a JSON Schema must be an object or true");
  const keywords = schema as Schema;
  const inner = (next: unknown): Arbitrary<unknown> => build(fc, next, root, depth + 1);
  if (depth > maxDepth) return fc.constant(null);
  if (typeof keywords["$ref"] === "string") return build(fc, resolve(keywords["$ref"], root), root, depth + 1);
  if ("const" in keywords) return fc.constant(keywords["const"]);
  if (Array.isArray(keywords["enum"])) return fc.constantFrom(...(keywords["enum"] as readonly unknown[]));
  for (const keyword of ["oneOf", "anyOf"]) if (Array.isArray(keywords[keyword])) return fc.oneof(...(keywords[keyword] as readonly unknown[]).map(inner));
  if (Array.isArray(keywords["allOf"])) return inner(mergeParts(keywords, keywords["allOf"] as readonly Schema[]));
  const type = keywords["type"] ?? ("properties" in keywords ? "object" : "items" in keywords ? "array" : undefined);
  if (Array.isArray(type)) return fc.oneof(...type.map((single: unknown) => inner({ ...keywords, type: single })));
  switch (type) {
    case undefined:
      return fc.jsonValue({ maxDepth: 2 });
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integers(fc, keywords);
    case "number":
      return numbers(fc, keywords);
    case "string":
      return strings(fc, keywords);
    case "array":
      return arrays(fc, keywords, inner(keywords["items"]));
    case "object":
      return objects(fc, keywords, inner);
    default:
      throw new Error(`the schema's type '${String(type)}' is not supported`);
  }
}

function integers(fc: Fc, schema: Schema): Arbitrary<number> {
  const step = numberOf(schema, "multipleOf") ?? 1;
  const { min, max, minExcluded, maxExcluded } = limitsOf(schema, 1_000_000);
  const first = Math.ceil(min / step);
  const last = Math.floor(max / step);
  return fc
    .integer({ min: minExcluded && first * step === min ? first + 1 : first, max: maxExcluded && last * step === max ? last - 1 : last })
    .map((value) => value * step);
}

function numbers(fc: Fc, schema: Schema): Arbitrary<number> {
  return fc.double({ noNaN: true, noDefaultInfinity: true, ...limitsOf(schema, 1e9) });
}

/** The limits of the schema. A missing limit is `span` away from zero, or from the other limit if that is farther from zero. */
function limitsOf(schema: Schema, span: number): { min: number; max: number; minExcluded: boolean; maxExcluded: boolean } {
  const above = numberOf(schema, "exclusiveMinimum") ?? -Infinity;
  const below = numberOf(schema, "exclusiveMaximum") ?? Infinity;
  const lower = Math.max(numberOf(schema, "minimum") ?? -Infinity, above);
  const upper = Math.min(numberOf(schema, "maximum") ?? Infinity, below);
  return {
    min: lower === -Infinity ? Math.min(-span, upper - span) : lower,
    max: upper === Infinity ? Math.max(span, lower + span) : upper,
    minExcluded: lower === above && above !== -Infinity,
    maxExcluded: upper === below && below !== Infinity,
  };
}

function arrays(fc: Fc, schema: Schema, items: Arbitrary<unknown>): Arbitrary<unknown> {
  const minLength = numberOf(schema, "minItems") ?? 0;
  return fc.array(items, { minLength, maxLength: numberOf(schema, "maxItems") ?? Math.max(minLength, 10) });
}

function strings(fc: Fc, schema: Schema): Arbitrary<string> {
  const minLength = numberOf(schema, "minLength") ?? 0;
  const maxLength = numberOf(schema, "maxLength") ?? Math.max(minLength, 40);
  const hasAllowedLength = (text: string): boolean => text.length >= minLength && text.length <= (numberOf(schema, "maxLength") ?? Infinity);
  if (typeof schema["pattern"] === "string") return fc.stringMatching(new RegExp(schema["pattern"])).filter(hasAllowedLength);
  const dates = fc.date({ min: new Date("1970-01-01T00:00:00Z"), max: new Date("2100-01-01T00:00:00Z"), noInvalidDate: true });
  switch (schema["format"]) {
    case "date-time":
      return dates.map((date) => date.toISOString());
    case "date":
      return dates.map((date) => date.toISOString().slice(0, 10));
    case "email":
      return fc.emailAddress();
    case "uuid":
      return fc.uuid();
    case "uri":
      return fc.webUrl();
    default:
      return fc.string({ minLength, maxLength, unit: "grapheme" });
  }
}

function objects(fc: Fc, schema: Schema, inner: (next: unknown) => Arbitrary<unknown>): Arbitrary<unknown> {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, unknown>>;
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  const members = Object.fromEntries([...new Set([...Object.keys(properties), ...required])].map((name) => [name, inner(properties[name])]));
  return fc.record(members, { requiredKeys: [...required], noNullPrototype: true });
}

function mergeParts(schema: Schema, parts: readonly Schema[]): Schema {
  const { allOf: _, ...rest } = schema;
  return [...parts, rest].reduce<Schema>(
    (all, part) => ({
      ...all,
      ...part,
      properties: { ...(all["properties"] as object | undefined), ...(part["properties"] as object | undefined) },
      required: [...((all["required"] ?? []) as string[]), ...((part["required"] ?? []) as string[])],
    }),
    { type: "object" },
  );
}

/** References within the schema: `#/$defs/address`. */
function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) throw new Error(`the schema refers to '${reference}': only references within the schema are followed`);
  const found = reference
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, part) => (value as Schema | undefined)?.[part], root);
  if (found === undefined) throw new Error(`the schema refers to '${reference}', which it does not define`);
  return found;
}

function numberOf(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
}
