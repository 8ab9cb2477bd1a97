// The shape of a source or target, as far as a JSON Schema or a sample defines it: used to check paths at compile time.
import { isPlainObject } from "@sluice/engine/values";

export type Shape =
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, Shape>; readonly required: ReadonlySet<string> }
  | { readonly kind: "list"; readonly of: Shape }
  | { readonly kind: "scalar" }
  /** Unknown shape: nothing is checked. */
  | { readonly kind: "any" };

const any: Shape = { kind: "any" };
const scalar: Shape = { kind: "scalar" };
const maxDepth = 32;

type Schema = Readonly<Record<string, unknown>>;

/** The shape that a JSON Schema describes; parts that the schema leaves open are not checked. */
export function shapeOfSchema(schema: unknown): Shape {
  // Each part is built once and lazily: a schema may contain itself, in several places.
  const shapes = new Map<Schema, Shape>();
  const shapeOf = (reference: unknown): Shape => {
    const part = followReference(reference, schema);
    if (part === undefined) return any;
    let shape = shapes.get(part);
    if (shape === undefined) shapes.set(part, (shape = shapeOfPart(part, shapeOf)));
    return shape;
  };
  return shapeOf(schema);
}

function shapeOfPart(schema: Schema, shapeOf: (part: unknown) => Shape): Shape {
  if (["oneOf", "anyOf", "allOf", "if", "$dynamicRef"].some((keyword) => Object.hasOwn(schema, keyword))) return any;
  const { properties, required, items } = schema;
  if (isPlainObject(properties)) {
    if (isOpen(schema["additionalProperties"]) || isPlainObject(schema["patternProperties"])) return any;
    let members: ReadonlyMap<string, Shape> | undefined;
    return {
      kind: "object",
      get members() {
        return (members ??= new Map(Object.entries(properties).map(([name, inner]) => [name, shapeOf(inner)])));
      },
      required: new Set(Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : []),
    };
  }
  if (Object.hasOwn(schema, "items")) {
    return {
      kind: "list",
      get of() {
        return shapeOf(items);
      },
    };
  }
  return isScalarType(schema["type"]) ? scalar : any;
}

const isOpen = (additional: unknown): boolean => additional === true || isPlainObject(additional);

const isScalarType = (type: unknown): boolean => typeof type === "string" && ["string", "number", "integer", "boolean", "null"].includes(type);

/** The schema after following its references; undefined when they are circular or unresolvable. */
function followReference(schema: unknown, root: unknown): Schema | undefined {
  let found = schema;
  for (let hops = 0; hops <= maxDepth; hops++) {
    if (!isPlainObject(found)) return undefined;
    if (typeof found["$ref"] !== "string") return found;
    found = resolve(found["$ref"], root);
  }
  return undefined;
}

function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isPlainObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

/** The shape of a sample value; the elements of a list are merged. */
export function shapeOfSample(sample: unknown, depth = 0): Shape {
  if (depth > maxDepth) return any;
  if (Array.isArray(sample))
    return {
      kind: "list",
      of:
        sample.length === 0
          ? any
          : sample
              .slice(0, 100)
              .map((item) => shapeOfSample(item, depth + 1))
              .reduce(mergeShapes),
    };
  if (!isPlainObject(sample)) return sample === null || sample === undefined ? any : scalar;
  return { kind: "object", members: new Map(Object.entries(sample).map(([name, inner]) => [name, shapeOfSample(inner, depth + 1)])), required: new Set() };
}

function mergeShapes(one: Shape, other: Shape): Shape {
  if (one.kind === "list" && other.kind === "list") return { kind: "list", of: mergeShapes(one.of, other.of) };
  if (one.kind !== "object" || other.kind !== "object") return one.kind === other.kind ? one : any;
  const members = new Map(one.members);
  for (const [name, shape] of other.members) members.set(name, members.has(name) ? mergeShapes(members.get(name) as Shape, shape) : shape);
  return { kind: "object", members, required: new Set() };
}

/** The shape of an element of a value. */
export function elementShape(shape: Shape | undefined): Shape | undefined {
  return shape?.kind === "list" ? shape.of : shape;
}
