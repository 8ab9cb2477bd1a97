// What a source or target looks like, as far as a JSON Schema or a sample tells: used to check paths before any message.
import { isPlainObject } from "@sluice/engine/spi";

export type Shape =
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Shape>; readonly required: ReadonlySet<string> }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "scalar" }
  /** Nothing is known, so nothing is checked. */
  | { readonly kind: "any" };

const any: Shape = { kind: "any" };
const scalar: Shape = { kind: "scalar" };
const deepest = 32;

type Schema = Readonly<Record<string, unknown>>;

/** The shape a JSON Schema describes; what it leaves open stays unchecked. */
export function shapeOfSchema(schema: unknown, root: unknown = schema, depth = 0): Shape {
  if (!isPlainObject(schema) || depth > deepest) return any;
  if (typeof schema["$ref"] === "string") return shapeOfSchema(resolve(schema["$ref"], root), root, depth + 1);
  if (["oneOf", "anyOf", "allOf", "if", "$dynamicRef"].some((word) => Object.hasOwn(schema, word))) return any;
  if (isPlainObject(schema["properties"])) {
    if (isOpen(schema["additionalProperties"]) || isPlainObject(schema["patternProperties"])) return any;
    const members = new Map(Object.entries(schema["properties"]).map(([name, inner]) => [name, shapeOfSchema(inner, root, depth + 1)]));
    const required = Array.isArray(schema["required"]) ? schema["required"].filter((name): name is string => typeof name === "string") : [];
    return { kind: "object", members, required: new Set(required) };
  }
  if (Object.hasOwn(schema, "items")) return { kind: "list", of: shapeOfSchema(schema["items"], root, depth + 1) };
  return isScalarType(schema["type"]) ? scalar : any;
}

const isOpen = (additional: unknown): boolean => additional === true || isPlainObject(additional);

const isScalarType = (type: unknown): boolean => typeof type === "string" && ["string", "number", "integer", "boolean", "null"].includes(type);

function resolve(reference: unknown, root: unknown): Schema | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isPlainObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return isPlainObject(found) ? found : undefined;
}

/** The shape of a sample value; the elements of a list are taken together. */
export function shapeOfSample(sample: unknown, depth = 0): Shape {
  if (depth > deepest) return any;
  if (Array.isArray(sample))
    return {
      kind: "list",
      of:
        sample.length === 0
          ? any
          : sample
              .slice(0, 100)
              .map((item) => shapeOfSample(item, depth + 1))
              .reduce(merged),
    };
  if (!isPlainObject(sample)) return sample === null || sample === undefined ? any : scalar;
  return { kind: "object", members: new Map(Object.entries(sample).map(([name, inner]) => [name, shapeOfSample(inner, depth + 1)])), required: new Set() };
}

function merged(one: Shape, other: Shape): Shape {
  if (one.kind === "list" && other.kind === "list") return { kind: "list", of: merged(one.of, other.of) };
  if (one.kind !== "object" || other.kind !== "object") return one.kind === other.kind ? one : any;
  const members = new Map(one.members);
  for (const [name, shape] of other.members) members.set(name, members.has(name) ? merged(members.get(name) as Shape, shape) : shape);
  return { kind: "object", members, required: new Set() };
}

/** The shape of an element of a value. */
export function elementShape(shape: Shape | undefined): Shape | undefined {
  return shape?.kind === "list" ? shape.of : shape;
}
