// Differences between a value and its schema, for the part of JSON Schema that the OpenAPI document uses.
type Schema = Readonly<Record<string, any>>;

export interface SchemaRules {
  /** The target of `#/…` references. */
  readonly document: Schema;
  /** Members that the schema does not list are errors, even if it allows additional ones. */
  readonly isStrict: boolean;
}

export function schemaErrors(value: unknown, schema: Schema, rules: SchemaRules, path = ""): readonly string[] {
  if (schema["$ref"] !== undefined) {
    const target = String(schema["$ref"])
      .slice(2)
      .split("/")
      .reduce<any>((at, key) => at[key], rules.document);
    return schemaErrors(value, target, rules, path);
  }
  if (schema["anyOf"] !== undefined) {
    const found = (schema["anyOf"] as readonly Schema[]).map((choice) => schemaErrors(value, choice, rules, path));
    return found.some((errors) => errors.length === 0) ? [] : (found.toSorted((a, b) => a.length - b.length)[0] ?? []);
  }
  if (schema["const"] !== undefined && value !== schema["const"]) return [`${path} is not ${schema["const"]}`];
  if (schema["enum"] !== undefined && !schema["enum"].includes(value)) return [`${path} is ${JSON.stringify(value)}, not one of ${schema["enum"].join(", ")}`];
  const type = typeOf(value);
  const expected = [schema["type"] ?? type].flat() as readonly string[];
  if (!expected.includes(type) && !(type === "integer" && expected.includes("number"))) return [`${path} is ${type}, not ${expected.join(" or ")}`];
  if (type === "array") return (value as readonly unknown[]).flatMap((item, index) => schemaErrors(item, schema["items"] ?? {}, rules, `${path}[${index}]`));
  return type === "object" ? memberErrors(value as Readonly<Record<string, unknown>>, schema, rules, path) : [];
}

function memberErrors(value: Readonly<Record<string, unknown>>, schema: Schema, rules: SchemaRules, path: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties = {} } = schema;
  const missing = (required as readonly string[]).filter((name) => !(name in value)).map((name) => `${path}.${name} is missing`);
  const others = Object.entries(value).flatMap(([name, member]) => {
    if (name in properties) return schemaErrors(member, properties[name], rules, `${path}.${name}`);
    if (additionalProperties === false || (rules.isStrict && Object.keys(properties).length > 0)) return [`${path}.${name} is not in the schema`];
    return schemaErrors(member, additionalProperties, rules, `${path}.${name}`);
  });
  return [...missing, ...others];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
